// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of the cache: on folders of their own, with objects that are none.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::folder::Folder;
use super::*;

const COMPILER: Compiler = Compiler::new("1.2.3 test");

/// A folder that goes when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("oxur-cache-{}-{name}", std::process::id()));
        _ = fs::remove_dir_all(&path);
        Self(path)
    }

    fn cache(&self) -> CacheConfig {
        CacheConfig::at(&self.0)
    }

    fn file(&self, key: &Key) -> PathBuf {
        self.0.join(key.path())
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        _ = fs::remove_dir_all(&self.0);
    }
}

fn key(n: u64) -> Key {
    Key(blake3::hash(&n.to_le_bytes()).into())
}

fn object(n: u64, size: usize) -> Vec<u8> {
    (0..size).map(|i| (i as u64 * 7 + n) as u8).collect()
}

/// Asks for an object; says whether it came from the cache.
fn get(cache: &CacheConfig, n: u64, size: usize) -> bool {
    let wanted = object(n, size);
    let (got, cached) = cache
        .get(
            &COMPILER,
            || key(n),
            || Ok::<_, String>(wanted.clone()),
            |bytes| Ok(bytes.to_vec()),
        )
        .unwrap();
    assert!(got == wanted);
    cached
}

fn age(path: &Path, by: Duration) {
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(SystemTime::now() - by).unwrap();
}

#[test]
fn what_was_made_is_found() {
    let scratch = Scratch::new("found");
    let cache = scratch.cache();
    assert_eq!(cache.usage().unwrap(), CacheUsage::default());
    assert!(!get(&cache, 1, 100));
    assert!(get(&cache, 1, 100));
    assert!(!get(&cache, 2, 0));
    assert!(get(&cache, 2, 0));
    let usage = cache.usage().unwrap();
    assert_eq!((usage.entries, usage.bytes), (2, 2 * 4096));
    assert_eq!(fs::metadata(&scratch.0).unwrap().permissions().mode() & 0o777, 0o700);
    let file = fs::metadata(scratch.file(&key(1))).unwrap();
    assert_eq!(file.permissions().mode() & 0o777, 0o600);
    assert!(
        fs::read_to_string(scratch.0.join("CACHEDIR.TAG"))
            .unwrap()
            .starts_with("Signature: 8a477f597d28d172")
    );
    assert_eq!(cache.clear().unwrap().unwrap().removed, usage);
    assert_eq!(cache.usage().unwrap().entries, 0);
    assert!(!get(&cache, 1, 100));
}

#[test]
fn off_keeps_nothing() {
    let scratch = Scratch::new("off");
    for cache in [CacheConfig::off(), scratch.cache().with_limit(0)] {
        assert!(!get(&cache, 1, 10));
        assert!(!get(&cache, 1, 10));
        assert!(cache.clear().unwrap().is_none());
    }
    assert!(!scratch.0.exists());
}

#[test]
fn damaged_files_are_made_anew() {
    let scratch = Scratch::new("damaged");
    let cache = scratch.cache();
    get(&cache, 1, 5000);
    let path = scratch.file(&key(1));
    let whole = fs::read(&path).unwrap();
    let flip = |at: usize| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1;
        bytes
    };
    let mut damaged = vec![Vec::new(), whole[..10].to_vec(), whole[..whole.len() - 1].to_vec()];
    damaged.extend([0, 4999, 5000, 5007, 5008, 5016, 5048, 5080, 5111].map(flip));
    damaged.push([&whole[..], b"more"].concat());
    // What another kernel's file holds.
    get(&cache, 2, 5000);
    damaged.push(fs::read(scratch.file(&key(2))).unwrap());
    for bytes in damaged {
        fs::write(&path, &bytes).unwrap();
        assert!(!get(&cache, 1, 5000));
        assert!(fs::read(&path).unwrap() == whole);
    }
    assert!(get(&cache, 1, 5000));
}

#[test]
fn a_file_that_does_not_load_is_made_anew() {
    let scratch = Scratch::new("loads");
    let cache = scratch.cache();
    get(&cache, 1, 50);
    let made = Cell::new(0);
    let make = || {
        made.set(made.get() + 1);
        Ok(b"new".to_vec())
    };
    let load = |bytes: &[u8]| match bytes {
        b"new" => Ok(()),
        _ => Err("it does not load"),
    };
    assert!(!cache.get(&COMPILER, || key(1), make, load).unwrap().1);
    assert!(cache.get(&COMPILER, || key(1), make, load).unwrap().1);
    assert_eq!(made.get(), 1);
    // Nothing is kept of what fails.
    assert!(cache.get(&COMPILER, || key(9), || Ok(b"bad".to_vec()), load).is_err());
    assert!(
        cache
            .get(&COMPILER, || key(9), || Err("it does not compile"), load)
            .is_err()
    );
    assert!(!scratch.file(&key(9)).exists());
}

#[test]
fn folders_of_others_are_not_used() {
    let scratch = Scratch::new("others");
    let cache = scratch.cache();
    get(&cache, 1, 50);
    fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o777)).unwrap();
    assert!(!get(&cache, 1, 50));
    assert!(cache.usage().is_err());
    fs::set_permissions(&scratch.0, fs::Permissions::from_mode(0o755)).unwrap();
    assert!(get(&cache, 1, 50));
    // A file that others may write to.
    fs::set_permissions(scratch.file(&key(1)), fs::Permissions::from_mode(0o666)).unwrap();
    assert!(!get(&cache, 1, 50));
    assert!(get(&cache, 1, 50));
    // Only root can make what belongs to somebody else.
    if std::os::unix::fs::chown(&scratch.0, Some(4711), None).is_ok() {
        assert!(!get(&cache, 1, 50));
        assert!(Folder::open(&scratch.0).is_err());
        std::os::unix::fs::chown(&scratch.0, Some(0), None).unwrap();
        std::os::unix::fs::chown(scratch.file(&key(1)), Some(4711), None).unwrap();
        assert!(!get(&cache, 1, 50));
        assert!(get(&cache, 1, 50));
    }
}

#[test]
fn what_is_in_the_way_is_no_error() {
    let scratch = Scratch::new("way");
    let cache = scratch.cache();
    get(&cache, 1, 50);
    let path = scratch.file(&key(1));
    // A link to a file that is right: not followed, but replaced.
    let elsewhere = scratch.0.join("elsewhere");
    fs::rename(&path, &elsewhere).unwrap();
    symlink(&elsewhere, &path).unwrap();
    assert!(!get(&cache, 1, 50));
    assert!(fs::symlink_metadata(&path).unwrap().is_file());
    // A folder, and a pipe that nobody writes to.
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(!get(&cache, 1, 50));
    fs::remove_dir(&path).unwrap();
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &path,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RUSR,
        0,
    )
    .unwrap();
    assert!(!get(&cache, 1, 50));
    assert!(get(&cache, 1, 50));
    // A file where the folder should be, and one that cannot be made.
    assert!(!get(&CacheConfig::at(&elsewhere), 1, 50));
    assert!(!get(&CacheConfig::at(elsewhere.join("below")), 1, 50));
    assert!(!get(&CacheConfig::at("/proc/oxur"), 1, 50));
    // One that goes while it is used.
    fs::remove_dir_all(&scratch.0).unwrap();
    assert!(!get(&cache, 1, 50));
    assert!(get(&cache, 1, 50));
}

#[test]
fn a_link_to_a_folder_of_ours_is_followed() {
    let scratch = Scratch::new("link");
    let target = scratch.0.join("target");
    get(&CacheConfig::at(&target), 1, 50);
    symlink(&target, scratch.0.join("link")).unwrap();
    assert!(get(&CacheConfig::at(scratch.0.join("link")), 1, 50));
}

#[test]
fn what_was_not_used_for_longest_goes() {
    let scratch = Scratch::new("limit");
    const MOST: u64 = 64;
    let cache = scratch.cache().with_limit(MOST * 4096);
    for n in 0..MOST {
        get(&cache, n, 1000);
        age(&scratch.file(&key(n)), Duration::from_secs(100_000 - n));
    }
    assert_eq!(cache.usage().unwrap().entries as u64, MOST);
    // Use of the oldest is noted, and saves it.
    assert!(get(&cache, 0, 1000));
    for n in MOST..MOST + 16 {
        get(&cache, n, 1000);
        assert!(cache.usage().unwrap().entries as u64 <= MOST + 1);
    }
    assert!(cache.usage().unwrap().entries as u64 > MOST / 2);
    assert!(get(&cache, 0, 1000) && get(&cache, MOST + 15, 1000));
    assert!(!scratch.file(&key(1)).exists());
    // What alone is too much is not kept.
    assert!(!get(&cache, 1000, 1 << 20) && !get(&cache, 1000, 1 << 20));
}

#[test]
fn files_of_dead_writers_go() {
    let scratch = Scratch::new("dead");
    let cache = scratch.cache();
    get(&cache, 1, 10);
    let shard = scratch.file(&key(1)).parent().unwrap().to_path_buf();
    let (old, new) = (shard.join(".new-1"), shard.join(".new-2"));
    fs::write(&old, "x").unwrap();
    fs::write(&new, "x").unwrap();
    age(&old, Duration::from_secs(7200));
    assert_eq!(cache.usage().unwrap().entries, 1);
    assert!(!old.exists() && new.exists());
}

#[test]
fn many_threads_share_a_folder() {
    let scratch = Scratch::new("threads");
    let cache = scratch.cache().with_limit(16 * 4096);
    std::thread::scope(|scope| {
        for thread in 0..8 {
            let cache = &cache;
            scope.spawn(move || {
                for round in 0..60 {
                    get(cache, (thread * 31 + round) % 24, 3000);
                }
            });
        }
    });
    assert!(cache.usage().unwrap().entries <= 17 + 8);
}

#[test]
fn files_say_where_they_are_from() {
    let scratch = Scratch::new("origin");
    let cache = scratch.cache();
    assert_eq!(cache.contents().unwrap(), None);
    for n in 0..3 {
        get(&cache, n, 5000);
    }
    const OTHER: Compiler = Compiler::new("9.9.9 other");
    let make = || Ok::<_, String>(object(3, 10));
    cache.get(&OTHER, || key(3), make, |_| Ok(())).unwrap();
    // The first format, whose trailer was shorter, a file that was cut off, and what is no file.
    let shard = scratch.file(&key(0)).parent().unwrap().to_path_buf();
    let first = [&b"code"[..], b"oxurobj1", &4u64.to_le_bytes(), &[0; 64]].concat();
    fs::write(shard.join("first"), &first).unwrap();
    fs::write(shard.join("cut"), &first[..first.len() - 1]).unwrap();
    fs::write(shard.join("empty"), "").unwrap();
    symlink("elsewhere", shard.join("link")).unwrap();
    age(&scratch.file(&key(1)), Duration::from_secs(5000));

    let contents = cache.contents().unwrap().unwrap();
    let entries = |origin| contents.by_origin.get(&origin).map_or(0, |usage| usage.entries);
    assert_eq!(entries(Origin::Compiler(COMPILER)), 3);
    assert_eq!(contents.by_origin[&Origin::Compiler(COMPILER)].bytes, 3 * 8192);
    assert_eq!(entries(Origin::Compiler(OTHER)), 1);
    assert_eq!(entries(Origin::FirstFormat), 1);
    assert_eq!(entries(Origin::Unknown), 3);
    assert_eq!(contents.usage, cache.usage().unwrap());
    let apart = contents
        .most_recent
        .unwrap()
        .duration_since(contents.least_recent.unwrap());
    assert!((4900..5100).contains(&apart.unwrap().as_secs()));
    assert_eq!((OTHER.version(), OTHER.to_string().as_str()), ("9.9.9", "9.9.9 other"));
    // Nobody can write control characters to a terminal by way of a file.
    let mut escape = entry::trailer(b"", &COMPILER, &key(1));
    escape[16] = 0x1b;
    assert_eq!(entry::origin(&escape, escape.len() as u64), Origin::Unknown);
}

#[test]
fn a_cache_that_is_switched_off_can_be_cleared() {
    let scratch = Scratch::new("kept");
    let cache = scratch.cache();
    get(&cache, 1, 10);
    cache.check_writable().unwrap();
    let cleared = cache.with_limit(0).clear().unwrap().unwrap();
    assert_eq!((cleared.removed.entries, cleared.kept.entries), (1, 0));
    assert!(cleared.error.is_none());
    assert!(!scratch.file(&key(1)).exists(), "also where nothing more is kept");
}
