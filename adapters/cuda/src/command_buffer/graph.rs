// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! A graph of CUDA, with a node or more for each command.

use std::ptr;
use std::sync::Arc;

use kit::ur::KernelLaunchFlags;
use kit::{Arg, BoxSide, Command, CommandList, Launch, LaunchChange, MemoryCommand, Node, OwnedCommand, UrResult};
use oxur_adapter_kit as kit;
use oxur_cuda_sys::*;
use smallvec::{SmallVec, smallvec};

use super::CommandBuffer;
use super::child::ChildGraph;
use crate::driver::{self, cu, cu_get};
use crate::kernel::{NO_NODE, OnDevice, Packed};
use crate::primary::Primary;
use crate::queue::commands::{Hint, fills, memsets};
use crate::{Context, Cuda, Queue, usm};

/// Nodes.
type Nodes = SmallVec<[CUgraphNode; 1]>;

/// A graph, and what is made of it.
pub(super) struct Graph {
    raw: CUgraph,
    /// Null until it is instantiated.
    executable: CUgraphExec,
    /// Of each command.
    places: Vec<Place>,
    /// Whether some are of graphs that clients have added to.
    has_children: bool,
    /// What CUDA has no nodes for: each run gives them.
    hints: Vec<Hint>,
    primary: &'static Primary,
}

// SAFETY: CUDA's handles may be used from any thread, by one at a time.
unsafe impl Send for Graph {}

/// The nodes of a command.
struct Place {
    /// What later commands wait for.
    ends: Nodes,
    /// Whether it is a launch that is a single node.
    is_kernel: bool,
    is_enabled: bool,
    /// What the driver has of a launch whose arguments were updated.
    last: Option<Box<Described>>,
}

/// A launch as the driver got it: where arguments alone change, it takes no more than to write these.
struct Described {
    /// The kernel on the device; null while the driver does not have the launch.
    of: *const OnDevice,
    node: CUDA_KERNEL_NODE_PARAMS,
    packed: Packed,
}

impl Described {
    fn new() -> Self {
        Self {
            of: ptr::null(),
            node: NO_NODE,
            packed: Packed::new(),
        }
    }

    /// Replaces arguments of the launch. `false` says that it is to be described anew.
    #[inline(always)]
    fn replace(&mut self, kernel: &OnDevice, args: &[Arg<'_, Cuda>]) -> bool {
        if !ptr::eq(self.of, kernel) {
            return false;
        }
        for arg in args {
            if !self.packed.replace(kernel.interface(), arg) {
                return false;
            }
        }
        true
    }

    /// Gives the launch to the driver.
    #[inline(always)]
    fn give(&mut self, kernel: &OnDevice, call: impl FnOnce(&CUDA_KERNEL_NODE_PARAMS) -> UrResult<()>) -> UrResult<()> {
        let Self { of, node, packed } = self;
        *of = ptr::null();
        packed.with_params(kernel.interface(), |places| {
            node.kernelParams = places;
            call(node)
        })?;
        *of = kernel;
        Ok(())
    }
}

impl Drop for Graph {
    fn drop(&mut self) {
        if driver::is_gone() {
            return;
        }
        let current = self.primary.activate();
        if let Err(error) = &current {
            log::debug!("a graph goes while no context is current: {error}");
        }
        if !self.executable.is_null() {
            // Its runs go on.
            // SAFETY: nobody uses it any more.
            if let Err(error) = unsafe { cu!(cuGraphExecDestroy(self.executable)) } {
                log::debug!("an executable graph is leaked: {error}");
            }
        }
        // SAFETY: as above.
        if let Err(error) = unsafe { cu!(cuGraphDestroy(self.raw)) } {
            log::debug!("a graph is leaked: {error}");
        }
    }
}

impl Graph {
    /// An empty one.
    pub(super) fn new(commands: &CommandList<Cuda>) -> UrResult<Self> {
        let primary = commands.device().primary()?;
        let _current = primary.activate()?;
        commands.context().open_pools(commands.device());
        // SAFETY: a place for the graph.
        let raw = unsafe { cu_get!(cuGraphCreate(_, 0): CUgraph = std::ptr::null_mut()) }?;
        Ok(Self {
            raw,
            executable: std::ptr::null_mut(),
            places: Vec::with_capacity(kit::FEW_COMMANDS),
            has_children: false,
            hints: Vec::new(),
            primary,
        })
    }

    /// Makes what runs.
    pub(super) fn instantiate(&mut self) -> UrResult<()> {
        let _current = self.primary.activate()?;
        let raw = self.raw;
        // SAFETY: a live graph and a place for what is made of it.
        self.executable =
            unsafe { cu_get!(cuGraphInstantiateWithFlags(_, raw, 0): CUgraphExec = std::ptr::null_mut()) }?;
        // The first run would do it.
        let lane = self.primary.own_lane()?;
        // SAFETY: a live executable graph and stream.
        unsafe { cu!(cuGraphUpload(self.executable, lane.stream)) }
    }

    /// Whether it can run.
    pub(super) fn is_ready(&self) -> bool {
        !self.executable.is_null()
    }

    /// CUDA's graph.
    pub(super) fn raw(&self) -> CUgraph {
        self.raw
    }

    /// A copy of it, if the client has added nodes of its own.
    pub(super) fn with_foreign_nodes(&self, commands: &Arc<CommandBuffer>) -> UrResult<Option<ChildGraph>> {
        match self.has_children || self.has_foreign_nodes()? {
            true => ChildGraph::copy(self.raw, self.primary, commands).map(Some),
            false => Ok(None),
        }
    }

    /// Whether the client has added nodes of its own to this graph.
    pub(super) fn has_foreign_nodes(&self) -> UrResult<bool> {
        let own: usize = self.places.iter().map(|place| place.ends.len()).sum();
        let _current = self.primary.activate()?;
        let (raw, none, mut all) = (self.raw, std::ptr::null_mut(), 0);
        // SAFETY: a live graph, and a place for the number.
        unsafe { cu!(cuGraphGetNodes(raw, none, &mut all)) }?;
        Ok(all != own)
    }

    /// What runs.
    pub(super) fn executable(&self) -> CUgraphExec {
        self.executable
    }

    /// What a run tells the driver beside.
    pub(super) fn hints(&self) -> &[Hint] {
        &self.hints
    }

    /// Appends the next command.
    pub(super) fn append(&mut self, commands: &CommandList<Cuda>, node: &Node<Cuda>) -> UrResult<()> {
        if !node.is_common() {
            return kit::unsupported();
        }
        let _current = self.primary.activate()?;
        let after = self.ends(node.dependencies());
        let adder = Adder {
            raw: self.raw,
            after: &after,
            commands,
            primary: self.primary,
        };
        let ends = adder.add(&node.command)?;
        self.hints.extend(hint(&node.command, commands.device().raw));
        self.places.push(Place {
            is_kernel: ends.kernel,
            ends: ends.nodes,
            is_enabled: true,
            last: None,
        });
        Ok(())
    }

    /// Appends a child's graph.
    pub(super) fn append_child(&mut self, child: &ChildGraph, dependencies: &[u32]) -> UrResult<()> {
        let _current = self.primary.activate()?;
        let (raw, after, child) = (self.raw, self.ends(dependencies), child.raw);
        // SAFETY: two live graphs, and nodes of the first. The driver copies the second.
        let node = unsafe {
            cu_get!(cuGraphAddChildGraphNode(_, raw, after.as_ptr(), after.len(), child): CUgraphNode = std::ptr::null_mut())
        }?;
        self.has_children = true;
        self.places.push(Place {
            ends: smallvec![node],
            is_kernel: false,
            is_enabled: true,
            last: None,
        });
        Ok(())
    }

    /// The nodes that a command waits for.
    fn ends(&self, dependencies: &[u32]) -> SmallVec<[CUgraphNode; 4]> {
        let places = dependencies.iter().map(|place| &self.places[*place as usize]);
        places.flat_map(|place| place.ends.iter().copied()).collect()
    }

    /// A launch has become another. Runs that were enqueued before do not see it.
    pub(super) fn change(
        &mut self,
        commands: &CommandList<Cuda>,
        place: usize,
        node: &Node<Cuda>,
        change: &LaunchChange<'_, Cuda>,
    ) -> UrResult<()> {
        let (executable, place) = (self.executable, &mut self.places[place]);
        let (OwnedCommand::Launch(launch), [raw], true) = (&node.command, &place.ends[..], place.is_kernel) else {
            return kit::unsupported();
        };
        let raw = *raw;
        let _current = self.primary.activate()?;
        let set = |params: &CUDA_KERNEL_NODE_PARAMS| {
            // SAFETY: a live executable graph, a node of its graph, and a description.
            unsafe { cu!(cuGraphExecKernelNodeSetParams(executable, raw, params)) }
        };
        let device = commands.device();
        let described = place.last.get_or_insert_with(|| Box::new(Described::new()));
        // Buffers of several devices may be elsewhere meanwhile.
        if place.is_enabled && change.is_of_args_only() && !commands.context().has_several_devices() {
            let kernel = launch.kernel.on(device)?;
            if described.replace(kernel, change.args) {
                return described.give(kernel, set);
            }
        }
        described.of = ptr::null();
        described.packed.reset();
        let launch = launch.as_launch();
        let new = kernel_node(commands, &launch, &mut described.packed)?;
        let is_enabled = new.is_some();
        if let Some((kernel, node)) = new {
            described.node = node;
            described.give(kernel, set)?;
        }
        if is_enabled != place.is_enabled {
            // SAFETY: as above.
            unsafe { cu!(cuGraphNodeSetEnabled(executable, raw, u32::from(is_enabled))) }?;
            place.is_enabled = is_enabled;
        }
        Ok(())
    }

    /// Has launches described anew when they are changed again.
    #[cold]
    pub(super) fn forget(&mut self, places: impl Iterator<Item = usize>) {
        places.for_each(|place| self.places[place].last = None);
    }
}

/// The hint that a command is.
fn hint(command: &OwnedCommand<Cuda>, device: CUdevice) -> Option<Hint> {
    match command.as_command() {
        Command::UsmPrefetch { memory, size, flags } => Some(Hint::prefetch(memory, size, flags, device)),
        Command::UsmAdvise { memory, size, advice } => Hint::advise(memory, size, advice, device),
        _ => None,
    }
}

/// Describes a launch as a node has it, but for the places of its parameters, which are packed; `None` if there is nothing to
/// launch.
fn kernel_node<'a>(
    commands: &CommandList<Cuda>,
    launch: &'a Launch<'_, Cuda>,
    packed: &mut Packed,
) -> UrResult<Option<(&'a OnDevice, CUDA_KERNEL_NODE_PARAMS)>> {
    let device = commands.device();
    let kernel = launch.kernel.on(device)?;
    let flags = launch.properties.flags - KernelLaunchFlags::OPPORTUNISTIC_QUEUE_SERIALIZE;
    let cluster = launch.properties.cluster;
    if !flags.is_empty() || cluster.is_some() || kernel.has_device_barrier() || kernel.has_assertions() {
        kit::bail!(
            ERROR_UNSUPPORTED_FEATURE:
                "a launch with properties or assertions, or whose work-groups wait for each other, is no node"
        );
    }
    let (args, memory) = (kit::Args::none(), launch.properties.work_group_memory);
    launch.kernel.pack(kernel, args, memory, packed)?;
    if commands.context().has_several_devices() {
        launch.kernel.locate(kernel, args, packed)?;
    }
    match kernel.grid(&launch.range, device)? {
        Some(grid) => Ok(Some((kernel, kernel.node(&grid, packed)?))),
        None => Ok(None),
    }
}

/// What a command became.
struct Added {
    nodes: Nodes,
    /// Whether that is a single kernel.
    kernel: bool,
}

/// Adds the nodes of a command behind others. The context is current.
struct Adder<'a> {
    raw: CUgraph,
    after: &'a [CUgraphNode],
    commands: &'a CommandList<Cuda>,
    primary: &'static Primary,
}

impl Adder<'_> {
    fn context(&self) -> &Arc<Context> {
        self.commands.context()
    }

    fn add(&self, command: &OwnedCommand<Cuda>) -> UrResult<Added> {
        let command = command.as_command();
        let at = command.addresses(self.commands.device())?;
        let nodes = match command {
            Command::Launch(launch) => {
                let mut packed = Packed::new();
                return Ok(match kernel_node(self.commands, &launch, &mut packed)? {
                    Some((kernel, mut node)) => Added {
                        nodes: packed.with_params(kernel.interface(), |places| {
                            node.kernelParams = places;
                            self.kernel(&node).map(|node| smallvec![node])
                        })?,
                        kernel: true,
                    },
                    None => Added {
                        nodes: self.nothing()?,
                        kernel: false,
                    },
                });
            }
            Command::Wait | Command::Barrier { .. } => self.nothing()?,
            // They are given by each run.
            Command::UsmPrefetch { .. } | Command::UsmAdvise { .. } => self.nothing()?,
            Command::DeviceGlobalRead { global, dst } => {
                let src = global.program.locate(self.commands.device(), &global)?;
                self.copy(dst.addr(), src.addr(), global.count)?
            }
            Command::DeviceGlobalWrite { global, src } => {
                let dst = global.program.locate(self.commands.device(), &global)?;
                self.copy(dst.addr(), src.addr(), global.count)?
            }
            other => match other.on_memory(at) {
                Some(MemoryCommand::Copy(dst, src, size)) => self.copy(dst.addr(), src.addr(), size)?,
                Some(MemoryCommand::CopyBox(dst, src, size)) => self.copy_box(&dst, &src, size)?,
                Some(MemoryCommand::Fill(dst, pattern, size)) => self.fill(dst.addr(), pattern, size)?,
                None => return other.unsupported(),
            },
        };
        Ok(Added { nodes, kernel: false })
    }

    fn kernel(&self, params: &CUDA_KERNEL_NODE_PARAMS) -> UrResult<CUgraphNode> {
        let (raw, after, count) = (self.raw, self.after.as_ptr(), self.after.len());
        // SAFETY: a live graph, nodes of it, and a description, of which the driver copies the parameters.
        unsafe { cu_get!(cuGraphAddKernelNode(_, raw, after, count, params): CUgraphNode = std::ptr::null_mut()) }
    }

    fn nothing(&self) -> UrResult<Nodes> {
        let (raw, after, count) = (self.raw, self.after.as_ptr(), self.after.len());
        // SAFETY: a live graph and nodes of it.
        let node = unsafe { cu_get!(cuGraphAddEmptyNode(_, raw, after, count): CUgraphNode = std::ptr::null_mut()) }?;
        Ok(smallvec![node])
    }

    fn copy(&self, dst: usize, src: usize, size: usize) -> UrResult<Nodes> {
        if size == 0 {
            return self.nothing();
        }
        self.copy_box(&BoxSide::rows(dst, size, 1), &BoxSide::rows(src, size, 1), [size, 1, 1])
    }

    fn copy_box(&self, dst: &BoxSide, src: &BoxSide, size: [usize; 3]) -> UrResult<Nodes> {
        let copy = Queue::box_copy(self.context(), dst, src, size)?;
        if copy.srcMemoryType == CU_MEMORYTYPE_HOST || copy.dstMemoryType == CU_MEMORYTYPE_HOST {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "a copy of pageable memory is no node");
        }
        self.check_reach(copy.dstDevice as usize)?;
        self.check_reach(copy.srcDevice as usize)?;
        let (raw, after, count, of) = (self.raw, self.after.as_ptr(), self.after.len(), self.primary.raw);
        // SAFETY: a live graph, nodes of it, and a description. The client vouches for its memory until the runs are over.
        let node = unsafe {
            cu_get!(cuGraphAddMemcpyNode(_, raw, after, count, &copy, of): CUgraphNode = std::ptr::null_mut())
        }?;
        Ok(smallvec![node])
    }

    fn fill(&self, dst: usize, pattern: &[u8], size: usize) -> UrResult<Nodes> {
        if size == 0 {
            return self.nothing();
        }
        if !fills(dst, pattern) || !usm::is_known(self.context(), dst) {
            kit::bail!(ERROR_UNSUPPORTED_FEATURE: "a fill with {} bytes is no node", pattern.len());
        }
        self.check_reach(dst)?;
        memsets(dst, pattern, size)
            .iter()
            .map(|part| self.memset(part))
            .collect()
    }

    fn check_reach(&self, address: usize) -> UrResult<()> {
        match self.context().may_be_node(self.commands.device(), address)? {
            true => Ok(()),
            false => Err(kit::error!(
                ERROR_UNSUPPORTED_FEATURE: "a command on memory of a device that is no peer is no node"
            )),
        }
    }

    fn memset(&self, fill: &CUDA_MEMSET_NODE_PARAMS) -> UrResult<CUgraphNode> {
        let (raw, after, count, of) = (self.raw, self.after.as_ptr(), self.after.len(), self.primary.raw);
        // SAFETY: as in `copy_box`.
        unsafe { cu_get!(cuGraphAddMemsetNode(_, raw, after, count, fill, of): CUgraphNode = std::ptr::null_mut()) }
    }
}
