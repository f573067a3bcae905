// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! The cache against a driver that deals in made-up addresses, and against a model.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Barrier, mpsc};

use oxur_fork::Mutex;

use super::*;

/// A driver that checks what it is asked for. The place is a number that each address must come back with.
#[derive(Default)]
struct Fake {
    live: Mutex<BTreeMap<usize, (usize, u8)>>,
    calls: AtomicUsize,
    /// Bytes that it has; 0 for as many as you like.
    memory: usize,
    /// What the addresses are off their alignment.
    askew: usize,
}

impl Fake {
    fn bytes(&self) -> usize {
        self.live.lock().values().map(|(size, _)| size).sum()
    }

    fn calls(&self) -> usize {
        self.calls.load(Ordering::Relaxed)
    }
}

impl Driver<u8> for Fake {
    fn allocate(&self, place: &u8, size: usize, align: usize) -> UrResult<usize> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        if self.memory != 0 && self.bytes() + size > self.memory {
            return Err(ResultCode::ERROR_OUT_OF_RESOURCES.into());
        }
        let mut live = self.live.lock();
        // The first gap that fits, so that addresses are used again.
        let align = align.max(16);
        let mut base = 0x1_0000;
        for (&start, &(len, _)) in live.iter() {
            if base + size <= start {
                break;
            }
            base = (start + len).next_multiple_of(align) + self.askew;
        }
        live.insert(base, (size, *place));
        Ok(base)
    }

    fn free(&self, place: &u8, address: usize, size: usize) -> UrResult<()> {
        self.calls.fetch_add(1, Ordering::Relaxed);
        let freed = self.live.lock().remove(&address);
        assert_eq!(freed, Some((size, *place)), "what this driver gave");
        Ok(())
    }
}

struct Rng(u64);

impl Rng {
    fn next(&mut self) -> u64 {
        // xorshift64*
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16
    }

    fn below(&mut self, n: usize) -> usize {
        self.next() as usize % n
    }
}

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;

fn one_arena(options: HeapOptions) -> (UsmCache<u8>, Arc<Heap>, Arc<Arena<u8>>) {
    let cache = UsmCache::default();
    let heap = cache.heap(options);
    let arena = cache.arena(&heap, 7);
    (cache, heap, arena)
}

fn taken(cache: &UsmCache<u8>, address: usize) -> Option<(usize, usize)> {
    let rest = cache.rest(address);
    assert_eq!(cache.rest(1), usize::MAX);
    assert!(cache.hold(address, 1, rest), "all that is left");
    assert_eq!(
        cache.hold(1, address, rest.wrapping_add(1)),
        rest == usize::MAX,
        "one more"
    );
    match cache.find(address) {
        Found::Taken { base, size, arena } => {
            assert!(*arena.place() != 0);
            assert_eq!(rest, base + size - address);
            Some((base, size))
        }
        _ => {
            assert_eq!(rest, usize::MAX);
            None
        }
    }
}

#[test]
fn what_was_freed_is_used_again() {
    let driver = Fake::default();
    let (cache, heap, arena) = one_arena(HeapOptions::default());
    for size in [1, 64, 100, 4 * KIB, 33 * KIB, MIB, 100 * MIB] {
        let first = cache.alloc(&driver, &arena, size, 0).unwrap();
        let calls = driver.calls();
        assert!(cache.free(&driver, first).unwrap());
        for _ in 0..10 {
            let again = cache.alloc(&driver, &arena, size, 0).unwrap();
            assert_eq!(again, first, "{size}");
            assert!(cache.free(&driver, again).unwrap());
        }
        assert_eq!(driver.calls(), calls);
    }
    assert_eq!(heap.reserved().current, driver.bytes());
    assert_eq!(cache.drain(&driver), (0, 0));
    assert_eq!((driver.bytes(), heap.cached(), heap.reserved().current), (0, 0, 0));
}

/// Each thread keeps the large block that it has freed last. The largest are others', too.
#[test]
fn no_thread_sits_on_what_is_large() {
    let (cache, heap, arena) = one_arena(HeapOptions::default());
    let driver = Fake::default();
    let by_another = |call: &(dyn Fn() -> usize + Sync)| std::thread::scope(|scope| scope.spawn(call).join().unwrap());
    for size in [5 * MIB, 16 * MIB] {
        let before = heap.cached();
        let freed = by_another(&|| {
            let block = cache.alloc(&driver, &arena, size, 0).unwrap();
            cache.free(&driver, block).unwrap();
            let again = cache.alloc(&driver, &arena, size, 0).unwrap();
            assert_eq!(again, block);
            cache.free(&driver, again).unwrap();
            again
        });
        assert!(heap.cached() > before);
        let calls = driver.calls();
        let block = cache.alloc(&driver, &arena, size, 0).unwrap();
        assert_eq!((block, driver.calls()), (freed, calls));
        assert_eq!(taken(&cache, block), Some((block, size)));
        assert_eq!(heap.cached(), before);
        cache.free(&driver, block).unwrap();
    }
    // Of several, the depot has all but the last.
    let mut blocks = [(); 3].map(|()| cache.alloc(&driver, &arena, 16 * MIB, 0).unwrap());
    let calls = driver.calls();
    assert!(blocks.iter().all(|&block| cache.free(&driver, block).unwrap()));
    let mut others = [(); 3].map(|()| by_another(&|| cache.alloc(&driver, &arena, 16 * MIB, 0).unwrap()));
    others.sort_unstable();
    blocks.sort_unstable();
    assert_eq!((others, driver.calls()), (blocks, calls));
    assert!(others.iter().all(|&block| cache.free(&driver, block).unwrap()));
    assert_eq!(cache.drain(&driver), (0, 0));
    assert_eq!((driver.bytes(), heap.cached(), heap.reserved().current), (0, 0, 0));
}

#[test]
fn an_address_tells_its_block() {
    let driver = Fake::default();
    let (cache, _, arena) = one_arena(HeapOptions::default());
    for (size, align) in [(100, 0), (33 * KIB, 64), (100, 4096)] {
        let at = cache.alloc(&driver, &arena, size, align).unwrap();
        assert_eq!(at % align.max(128), 0);
        assert_eq!(taken(&cache, at), Some((at, size)));
        assert_eq!(taken(&cache, at + size - 1), Some((at, size)));
        assert_eq!(taken(&cache, at + size), None);
        assert!(cache.free(&driver, at + 8).is_err(), "not a start");
        assert_eq!(taken(&cache, at), Some((at, size)));
        assert!(cache.free(&driver, at).unwrap());
        assert_eq!(taken(&cache, at), None);
        // Twice: an error while it is known, and not ours once the driver has it.
        assert!(!cache.free(&driver, at).unwrap_or(false));
    }
    assert!(matches!(cache.find(1), Found::Foreign));
    assert!(!cache.free(&driver, 1).unwrap());
    cache.drain(&driver);
}

#[test]
fn a_limit_holds() {
    let driver = Fake::default();
    let (cache, heap, arena) = one_arena(HeapOptions {
        limit: 10 * MIB,
        ..Default::default()
    });
    let all: Vec<_> = (0..40).map(|_| cache.alloc(&driver, &arena, MIB, 0).unwrap()).collect();
    assert!(all.iter().all(|at| cache.free(&driver, *at).unwrap()));
    assert!(heap.cached() <= 10 * MIB && heap.cached() >= 5 * MIB);
    assert_eq!(driver.bytes(), heap.cached());
    // What is larger than half of the limit is not kept.
    let before = driver.bytes();
    let large = cache.alloc(&driver, &arena, 6 * MIB, 0).unwrap();
    cache.free(&driver, large).unwrap();
    assert_eq!(driver.bytes(), before);
    cache.trim(&driver, &heap, 3 * MIB);
    assert!(driver.bytes() <= 3 * MIB && driver.bytes() > 0);
    cache.drain(&driver);
}

#[test]
fn the_oldest_goes_first() {
    let driver = Fake::default();
    let (cache, heap, arena) = one_arena(HeapOptions {
        limit: 14 * MIB,
        ..Default::default()
    });
    let old = cache.alloc(&driver, &arena, 9 * MIB / 2, 0).unwrap();
    let recent = cache.alloc(&driver, &arena, 5 * MIB, 0).unwrap();
    cache.free(&driver, old).unwrap();
    let another = cache.alloc(&driver, &arena, 11 * MIB / 2, 0).unwrap();
    cache.free(&driver, recent).unwrap();
    cache.free(&driver, another).unwrap();
    assert!(matches!(cache.find(old), Found::Foreign));
    assert!(matches!(cache.find(recent), Found::Free));
    assert_eq!(heap.cached(), driver.bytes());
    cache.drain(&driver);
}

#[test]
fn nothing_is_kept_when_off() {
    let driver = Fake::default();
    let (cache, _, arena) = one_arena(HeapOptions {
        limit: 0,
        ..Default::default()
    });
    for size in [1, 100, MIB] {
        let at = cache.alloc(&driver, &arena, size, 0).unwrap();
        assert_eq!((driver.bytes(), taken(&cache, at)), (size, Some((at, size))));
        assert!(cache.free(&driver, at).unwrap());
        assert_eq!(driver.bytes(), 0);
        assert!(!cache.free(&driver, at).unwrap());
    }
}

#[test]
fn what_a_thread_remembers_ends_with_the_region() {
    let driver = Fake::default();
    let (cache, _, arena) = one_arena(HeapOptions::default());
    let (other, _, _) = one_arena(HeapOptions::default());
    // Nothing is there; then an allocation; then nothing; then a shorter one; each is looked up twice.
    let at = 0x1_0000;
    for size in [100 * KIB, 50 * KIB] {
        for _ in 0..2 {
            assert_eq!([at, at + KIB].map(|at| cache.rest(at)), [usize::MAX; 2]);
        }
        let memory = cache.alloc_dedicated(&driver, &arena, size, 0).unwrap();
        assert_eq!(memory, at, "the driver gives the first address that is free");
        for _ in 0..2 {
            assert_eq!([at, at + KIB].map(|at| cache.rest(at)), [size, size - KIB]);
            assert_eq!(cache.rest(at + size), usize::MAX);
            assert_eq!(other.rest(at), usize::MAX, "another cache");
        }
        assert!(cache.free(&driver, memory).unwrap());
    }
    assert_eq!(cache.rest(at), usize::MAX);
}

#[test]
fn both_sides_of_a_copy_are_remembered() {
    let driver = Fake::default();
    let (cache, _, arena) = one_arena(HeapOptions::default());
    // Blocks of one region, a region of its own, and what is none of the cache's.
    let small = [30, 40, 64].map(|size| (cache.alloc(&driver, &arena, size, 0).unwrap(), size));
    let large = (cache.alloc(&driver, &arena, 100 * KIB, 0).unwrap(), 100 * KIB);
    let sides = [small[0], small[1], small[2], large, (8, usize::MAX)];
    let copies = || sides.iter().flat_map(|a| sides.iter().map(move |b| (*a, *b)));
    for ((a, a_size), (b, b_size)) in copies() {
        let fits = a_size.min(b_size);
        // Looked up, then remembered, then the way back, each with what fits and what does not.
        for (first, second) in [(a, b), (a, b), (b, a), (b, a)] {
            assert!(cache.hold(first, second, fits), "{first:#x} {second:#x} {fits}");
            let more = fits.saturating_add(1);
            assert_eq!(
                cache.hold(first, second, more),
                fits == usize::MAX,
                "{first:#x} {second:#x}"
            );
        }
        assert!(cache.hold(a + 7, b + 1, fits.min(1 << 40) - 7));
    }
    // Another allocation in a block that is remembered.
    let (at, size) = small[0];
    assert!(cache.hold(at, at, size));
    assert!(cache.free(&driver, at).unwrap());
    assert_eq!(
        cache.alloc(&driver, &arena, size - 1, 0).unwrap(),
        at,
        "the block that was freed last"
    );
    assert!(cache.hold(at, at, size - 1) && !cache.hold(at, at, size));
}

#[test]
fn an_empty_driver_is_asked_again() {
    let driver = Fake {
        memory: 10 * MIB,
        ..Default::default()
    };
    let (cache, _, arena) = one_arena(HeapOptions::default());
    let kept = cache.alloc(&driver, &arena, 6 * MIB, 0).unwrap();
    cache.free(&driver, kept).unwrap();
    // Its class would be larger than the driver's memory; exactly this much is there once the other is given back.
    let all = cache.alloc(&driver, &arena, 10 * MIB - 64, 0).unwrap();
    assert_eq!(driver.bytes(), 10 * MIB - 64);
    let error = cache.alloc(&driver, &arena, MIB, 0).unwrap_err();
    assert_eq!(error.code(), ResultCode::ERROR_OUT_OF_RESOURCES);
    cache.free(&driver, all).unwrap();
    cache.drain(&driver);
    assert_eq!(driver.bytes(), 0);
}

#[test]
fn a_driver_that_aligns_badly_is_no_harm() {
    let driver = Fake {
        askew: 16,
        ..Default::default()
    };
    let (cache, _, arena) = one_arena(HeapOptions::default());
    let all: Vec<_> = (0..10).map(|_| cache.alloc(&driver, &arena, 64, 0).unwrap()).collect();
    all.iter().for_each(|at| assert!(cache.free(&driver, *at).unwrap()));
    assert_eq!(cache.drain(&driver), (0, 0));
    assert_eq!(driver.bytes(), 0);
}

#[test]
fn a_closed_heap_gives_back_what_is_freed() {
    let driver = Fake::default();
    let cache = UsmCache::default();
    let growth = if cfg!(miri) { 128 * KIB } else { MIB };
    let options = HeapOptions {
        counted: true,
        min_growth: growth,
        ..Default::default()
    };
    let heap = cache.heap(options);
    let arena = cache.arena(&heap, 7);
    let kept = cache.alloc(&driver, &arena, 64, 0).unwrap();
    let other = cache.alloc(&driver, &arena, 64, 0).unwrap();
    let large = cache.alloc(&driver, &arena, 100 * KIB, 0).unwrap();
    assert_eq!(
        heap.reserved(),
        Usage {
            current: 2 * growth,
            high: 2 * growth
        }
    );
    assert_eq!(
        heap.used(),
        Some(Usage {
            current: 128 + 100 * KIB,
            high: 128 + 100 * KIB
        })
    );
    cache.free(&driver, large).unwrap();
    cache.close(&driver, &heap);
    assert_eq!(driver.bytes(), growth, "the region with blocks that are taken stays");
    cache.free(&driver, other).unwrap();
    assert_eq!(taken(&cache, kept), Some((kept, 64)));
    cache.free(&driver, kept).unwrap();
    assert_eq!(driver.bytes(), 0);
    assert_eq!(heap.used().unwrap().current, 0);

    // A new heap may use the number of the old arena.
    let heap = cache.heap(options);
    let arena = cache.arena(&heap, 8);
    let at = cache.alloc(&driver, &arena, 64, 0).unwrap();
    cache.free(&driver, at).unwrap();
    cache.close(&driver, &heap);
    assert_eq!(driver.bytes(), 0);
}

#[test]
fn what_the_client_has_is_left_alone() {
    let driver = Fake::default();
    let (cache, _, arena) = one_arena(HeapOptions::default());
    let small = cache.alloc(&driver, &arena, 64, 0).unwrap();
    cache.alloc(&driver, &arena, MIB, 0).unwrap();
    assert_eq!(cache.drain(&driver), (MIB + 64, 2));
    assert_eq!(taken(&cache, small), Some((small, 64)));
}

/// Sizes of all magnitudes.
fn size(rng: &mut Rng) -> usize {
    let magnitude = rng.below(24);
    1 + rng.below(1 << magnitude)
}

#[test]
fn any_sequence_of_calls_agrees_with_a_model() {
    let (seeds, rounds) = if cfg!(miri) { (1, 150) } else { (7, 5_000) };
    for seed in 1..=seeds {
        let mut rng = Rng(0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(seed));
        let driver = Fake {
            memory: if seed % 2 == 0 { 0 } else { 256 * MIB },
            ..Default::default()
        };
        let cache = UsmCache::default();
        let open = |rng: &mut Rng, place| {
            let options = HeapOptions {
                limit: [0, 300 * KIB, 20 * MIB, usize::MAX][rng.below(4)],
                max_block: [MIB, usize::MAX][rng.below(2)],
                min_growth: [0, 100_000][rng.below(2)],
                counted: true,
            };
            let heap = cache.heap(options);
            (cache.arena(&heap, place), heap)
        };
        let mut arenas: Vec<_> = (1..=3).map(|place| open(&mut rng, place)).collect();
        let mut model: BTreeMap<usize, (usize, u8)> = BTreeMap::new();
        for round in 0..rounds {
            let which = rng.below(arenas.len());
            match rng.below(1000) {
                0..500 => {
                    let (size, align) = (size(&mut rng), [0, 0, 1, 64, 128, 4096][rng.below(6)]);
                    let arena = &arenas[which].0;
                    let Ok(at) = cache.alloc(&driver, arena, size, align) else {
                        continue;
                    };
                    assert_eq!(at % align.max(if size > 64 { 16 } else { 1 }), 0);
                    assert!(
                        model
                            .range(..at)
                            .next_back()
                            .is_none_or(|(start, (len, _))| start + len <= at)
                    );
                    assert!(model.range(at..).next().is_none_or(|(start, _)| at + size <= *start));
                    model.insert(at, (size, *arena.place()));
                }
                500..990 if !model.is_empty() => {
                    let from = 0x1_0000 + rng.below(300 * MIB);
                    let at = *model.range(from..).next().or(model.iter().next()).unwrap().0;
                    let (size, place) = model.remove(&at).unwrap();
                    let Found::Taken {
                        base,
                        size: asked,
                        arena,
                    } = cache.find(at + rng.below(size))
                    else {
                        panic!()
                    };
                    assert_eq!((base, asked, *arena.place()), (at, size, place));
                    assert!(cache.free(&driver, at).unwrap());
                    assert!(!cache.free(&driver, at).unwrap_or(false));
                }
                990..997 => cache.trim(&driver, &arenas[which].1, rng.below(10 * MIB)),
                _ => {
                    cache.close(&driver, &arenas[which].1);
                    arenas[which] = open(&mut rng, (round % 250) as u8 + 1);
                }
            }
        }
        for (arena, heap) in &arenas {
            let used = model.iter().filter(
                |(at, _)| matches!(cache.find(**at), Found::Taken { arena: of, .. } if Arc::ptr_eq(&of, arena)),
            );
            assert_eq!(
                heap.used().unwrap().current,
                used.map(|(_, (size, _))| size).sum::<usize>()
            );
        }
        for at in model.keys() {
            assert!(cache.free(&driver, *at).unwrap());
        }
        assert_eq!(cache.drain(&driver), (0, 0));
        assert_eq!(driver.bytes(), 0);
        assert!(
            arenas
                .iter()
                .all(|(_, heap)| heap.cached() == 0 && heap.reserved().current == 0)
        );
    }
}

#[test]
fn threads_do_not_share_blocks() {
    let (threads, rounds) = if cfg!(miri) { (3, 30) } else { (8, 20_000) };
    let driver = Fake::default();
    let (cache, heap, arena) = one_arena(HeapOptions {
        limit: 4 * MIB,
        counted: true,
        ..Default::default()
    });
    // Who has a block writes its number here: the driver's memory is not real.
    let slots = if cfg!(miri) { 1 << 6 } else { 1 << 12 };
    let owners: Vec<_> = (0..slots).map(|_| Mutex::new(BTreeMap::new())).collect();
    let owner = |at: usize| &owners[at / 64 % owners.len()];
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..threads).map(|_| mpsc::channel::<usize>()).unzip();
    let start = Barrier::new(threads);
    std::thread::scope(|scope| {
        for (me, inbox) in receivers.into_iter().enumerate() {
            let (cache, driver, arena, start, owner) = (&cache, &driver, &arena, &start, &owner);
            // What a thread allocates, the next one frees.
            let next = senders[(me + 1) % threads].clone();
            scope.spawn(move || {
                let mut rng = Rng(me as u64 + 1);
                start.wait();
                for round in 0..rounds {
                    let size = if round % 16 == 0 {
                        1 + rng.below(MIB)
                    } else {
                        1 + rng.below(2 * KIB)
                    };
                    let at = cache.alloc(driver, arena, size, 0).unwrap();
                    assert_eq!(owner(at).lock().insert(at, me), None, "a block of two owners");
                    assert_eq!(taken(cache, at), Some((at, size)));
                    if rng.below(2) == 0 {
                        next.send(at).unwrap();
                    } else {
                        assert_eq!(owner(at).lock().remove(&at), Some(me));
                        assert!(cache.free(driver, at).unwrap());
                    }
                    for at in inbox.try_iter() {
                        assert!(owner(at).lock().remove(&at).is_some());
                        assert!(cache.free(driver, at).unwrap());
                    }
                }
                drop(next);
                // Ends when the thread before has ended.
                for at in inbox {
                    assert!(owner(at).lock().remove(&at).is_some());
                    assert!(cache.free(driver, at).unwrap());
                }
            });
        }
        drop(senders);
    });
    assert_eq!(cache.drain(&driver), (0, 0));
    assert_eq!(
        (driver.bytes(), heap.used().unwrap().current, heap.reserved().current),
        (0, 0, 0)
    );
}

#[test]
fn of_two_that_free_a_block_one_does() {
    let driver = Fake::default();
    let (cache, _, arena) = one_arena(HeapOptions::default());
    for size in [64, MIB] {
        for _ in 0..if cfg!(miri) { 10 } else { 500 } {
            let at = cache.alloc(&driver, &arena, size, 0).unwrap();
            let freed = AtomicUsize::new(0);
            std::thread::scope(|scope| {
                for _ in 0..2 {
                    scope.spawn(|| freed.fetch_add(usize::from(cache.free(&driver, at).is_ok()), Ordering::Relaxed));
                }
            });
            assert_eq!(freed.into_inner(), 1);
        }
    }
    cache.drain(&driver);
}
