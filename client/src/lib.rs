// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The C API of the Unified Runtime for Rust programs: tests, tools, benchmarks.
//!
//! [`Loader::open`] opens any `libur_loader.so.0`, ours or Intel's, of any release. Functions are looked up by name; calling
//! one that the library lacks returns [`Error::NotExported`]. Objects are reference-counted as in C: `clone` retains, `drop`
//! releases, and the loader is torn down after the last object. Functions that depend on memory unknown to Rust (device
//! pointers, kernels, asynchronous copies) are `unsafe`. [`Loader::fns`] has every function in its C form.
//!
//! ```no_run
//! use oxur_client::{Loader, api::DeviceInfo};
//!
//! fn main() -> oxur_client::Result<()> {
//!     let loader = Loader::open("dist/lib/libur_loader.so.0".as_ref())?;
//!     for adapter in loader.adapters()? {
//!         for platform in adapter.platforms()? {
//!             for device in platform.devices()? {
//!                 println!("{}", device.info::<String>(DeviceInfo::NAME)?);
//!             }
//!         }
//!     }
//!     Ok(())
//! }
//! ```

#[macro_use]
mod object;
mod command_buffer;
mod device;
mod enqueue;
mod enqueue_usm;
mod error;
mod event;
mod fns;
mod graph;
mod info;
mod kernel;
mod loader;
mod mem;
mod program;
mod queue;
mod usm;

pub use command_buffer::{Appended, BufferCommand, CommandBuffer, CommandBufferSettings, Place, SyncPoint, Update};
pub use device::{Adapter, Context, Device, Platform};
pub use error::{Error, Result};
pub use event::Event;
pub use fns::{ErrorObserver, Fns, LoaderTables, observe_errors};
pub use graph::{ExecutableGraph, Graph};
pub use info::{FromInfo, Plain};
pub use kernel::{Arg, Kernel, Range};
pub use loader::{Config, Generation, Loader};
pub use mem::{Buffer, Image, Mem, Sampler};
pub use oxur_api as api;
pub use program::Program;
pub use queue::{Pitch, Queue};
pub use usm::{Usm, UsmPool, UsmRequest};
