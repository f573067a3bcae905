// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! Tests of `oxur cache`, on folders that the cache's own code fills, as the compiler does.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use oxur_cache::{CacheConfig, Compiler, Key};

/// The compilers of this release, an older one, and a future one.
const PRESENT: Compiler = Compiler::new(concat!(env!("CARGO_PKG_VERSION"), " 0123456789abcdef"));
const OLD: Compiler = Compiler::new("0.1.0 aaaa");
const NEW: Compiler = Compiler::new("99.0.0 bbbb");

/// A folder that is removed when the test ends.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("oxur-cache-command-{}-{name}", std::process::id()));
        let _ = fs::remove_dir_all(&path);
        fs::create_dir(&path).expect("a folder");
        Self(path)
    }

    fn kernels(&self) -> PathBuf {
        self.0.join("kernels")
    }

    /// Runs the command with only these variables.
    fn oxur(&self, variables: &[(&str, &str)], arguments: &[&str]) -> Said {
        let mut command = Command::new(env!("CARGO_BIN_EXE_oxur"));
        command.args(arguments).env_clear().envs(variables.iter().copied());
        Said::new(&command.output().expect("the command runs"))
    }

    /// The same on [`Self::kernels`].
    fn cache(&self, action: &str) -> Said {
        let folder = self.kernels();
        self.oxur(&[("UR_CPU_CACHE", folder.to_str().expect("text"))], &["cache", action])
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// The output and the exit code of the command.
#[derive(Debug)]
struct Said {
    out: String,
    err: String,
    code: Option<i32>,
}

impl Said {
    fn new(output: &Output) -> Self {
        Self {
            out: String::from_utf8_lossy(&output.stdout).into_owned(),
            err: String::from_utf8_lossy(&output.stderr).into_owned(),
            code: output.status.code(),
        }
    }

    /// Asserts success, and that this is a line of the output.
    #[track_caller]
    fn has(&self, line: &str) -> &Self {
        assert_eq!((self.code, self.err.as_str()), (Some(0), ""), "{self:?}");
        assert!(self.out.lines().any(|other| other == line), "{line}\n{self:#?}");
        self
    }

    /// Asserts failure, and that the message contains this.
    #[track_caller]
    fn fails(&self, says: &str) -> &Self {
        assert_eq!(self.code, Some(1), "{self:?}");
        assert!(self.err.contains(says), "{says}\n{self:#?}");
        self
    }
}

fn key(n: u64) -> Key {
    let mut key = [0; 32];
    // The first byte names the shard.
    key[0] = (n % 7) as u8;
    key[8..16].copy_from_slice(&n.to_le_bytes());
    Key(key)
}

/// Puts a kernel into a cache, as the compiler does. Returns its file.
fn put(folder: &Path, compiler: Compiler, n: u64, size: usize) -> PathBuf {
    let make = || Ok::<_, String>(vec![n as u8; size]);
    let got = CacheConfig::at(folder).get(&compiler, || key(n), make, |object| Ok(object.len()));
    assert_eq!(got, Ok((size, false)), "it is new");
    folder.join(key(n).path())
}

fn age(path: &Path, seconds: u64) {
    let file = fs::File::options().write(true).open(path).expect("a file");
    file.set_modified(SystemTime::now() - Duration::from_secs(seconds))
        .expect("a time");
}

#[test]
fn info_describes_the_content() {
    let scratch = Scratch::new("info");
    let folder = scratch.kernels();
    let oldest = put(&folder, PRESENT, 1, 5000);
    let newest = put(&folder, PRESENT, 2, 100);
    let between = [
        put(&folder, PRESENT, 3, 100),
        put(&folder, OLD, 4, 100),
        put(&folder, OLD, 5, 10_000),
        put(&folder, NEW, 6, 100),
    ];
    // An entry of the first format, which recorded no compiler, and a damaged file.
    let shard = oldest.parent().expect("a shard");
    let first = [&[1, 2, 3, 4], &b"oxurobj1"[..], &4u64.to_le_bytes(), &[0; 64]].concat();
    fs::write(shard.join("first"), first).expect("a file");
    fs::write(shard.join("damaged"), "x").expect("a file");
    for path in [&shard.join("first"), &shard.join("damaged")]
        .into_iter()
        .chain(&between)
    {
        age(path, 7200);
    }
    age(&oldest, 3 * 86_400 + 100);
    age(&newest, 60 + 30);

    let version = env!("CARGO_PKG_VERSION");
    scratch
        .cache("info")
        .has(&format!("folder:   {} (UR_CPU_CACHE)", folder.display()))
        .has("limit:    1.0 GiB")
        .has("content:  8 entries, 44.0 KiB")
        .has("last use: oldest 3 days ago, newest 1 minute ago")
        .has("made by:  0.1.0 aaaa: 2 entries, 16.0 KiB")
        .has(&format!("          {PRESENT}: 3 entries, 16.0 KiB"))
        .has("          99.0.0 bbbb: 1 entry, 4.0 KiB")
        .has("          a compiler with an older file format: 1 entry, 4.0 KiB")
        .has("          unknown: damaged files, or files that do not belong to the cache: 1 entry, 4.0 KiB")
        .has(&format!(
            "entries of other versions than {version}: 4 entries, 24.0 KiB"
        ));
    assert!(oldest.exists() && newest.exists(), "it removes nothing");
}

#[test]
fn the_folder_is_the_one_that_programs_use() {
    let scratch = Scratch::new("folder");
    let home = scratch.0.to_str().expect("text");
    let of = |variables: &[(&str, &str)]| scratch.oxur(variables, &["cache", "info"]);
    let default = format!("folder:   {home}/.cache/oxur/kernels (the default)");
    of(&[("HOME", home)])
        .has(&default)
        .has("content:  none, the folder does not exist");
    of(&[("HOME", home), ("UR_CPU_CACHE", "")]).has(&default);
    of(&[("HOME", "/nonexistent"), ("XDG_CACHE_HOME", home)])
        .has(&format!("folder:   {home}/oxur/kernels (the default)"));
    of(&[("HOME", home), ("UR_CPU_CACHE_SIZE", "300M")]).has("limit:    300.0 MiB (UR_CPU_CACHE_SIZE)");
    // The command ignores what programs ignore, with a message.
    let ignored = of(&[
        ("HOME", home),
        ("UR_CPU_CACHE", "relative"),
        ("UR_CPU_CACHE_SIZE", "much"),
    ]);
    assert_eq!(ignored.code, Some(0), "{ignored:?}");
    assert!(ignored.out.contains(&default) && ignored.out.contains("limit:    1.0 GiB\n"));
    assert!(ignored.err.contains("UR_CPU_CACHE=relative is ignored"), "{ignored:?}");
    assert!(ignored.err.contains("UR_CPU_CACHE_SIZE=much is ignored"), "{ignored:?}");
    assert!(!Path::new(home).join(".cache").exists(), "nothing is made");
}

#[test]
fn a_cache_that_is_off() {
    let scratch = Scratch::new("off");
    let home = scratch.0.to_str().expect("text");
    let kernel = put(&scratch.0.join(".cache/oxur/kernels"), PRESENT, 1, 10);
    for off in ["off", "0"] {
        let off = [("HOME", home), ("UR_CPU_CACHE", off)];
        scratch
            .oxur(&off, &["cache", "info"])
            .has("the cache is off (UR_CPU_CACHE)");
        scratch
            .oxur(&off, &["cache", "clear"])
            .fails("unset UR_CPU_CACHE to clear the default folder");
    }
    assert!(kernel.exists());
    // With the size limit off, the folder is still known, and may contain earlier entries.
    let zero = [("HOME", home), ("UR_CPU_CACHE_SIZE", "off")];
    scratch
        .oxur(&zero, &["cache", "info"])
        .has("limit:    the cache is off (UR_CPU_CACHE_SIZE); its entries are not used")
        .has("content:  1 entry, 4.0 KiB");
    assert!(
        scratch
            .oxur(&zero, &["cache", "clear"])
            .out
            .starts_with("removed 1 entry, 4.0 KiB")
    );
    assert!(!kernel.exists());
    // Without a home there is no folder either.
    for action in ["info", "clear"] {
        scratch
            .oxur(&[], &["cache", action])
            .fails("neither XDG_CACHE_HOME nor HOME");
    }
}

#[test]
fn clear_removes_the_entries_and_nothing_else() {
    let scratch = Scratch::new("clear");
    let folder = scratch.kernels();
    let says = |what: &str| format!("{what}{}", folder.display());
    scratch
        .cache("clear")
        .has(&format!("nothing to remove: {} does not exist", folder.display()));
    assert!(!folder.exists(), "and is not made");

    let entries = [put(&folder, PRESENT, 1, 5000), put(&folder, OLD, 2, 10)];
    let shard = entries[0].parent().expect("a shard");
    let (growing, left) = (shard.join(".new-1"), shard.join(".new-2"));
    let mine = folder.join("mine");
    for path in [&growing, &left, &mine] {
        fs::write(path, "x").expect("a file");
    }
    age(&left, 7200);
    scratch.cache("clear").has(&says("removed 2 entries, 12.0 KiB from "));
    assert!(entries.iter().all(|path| !path.exists()));
    assert!(!left.exists(), "of a process that died");
    assert!(growing.exists(), "another process is writing it");
    assert!(mine.exists() && folder.join("CACHEDIR.TAG").exists());
    scratch.cache("clear").has(&says("removed 0 entries, 0 bytes from "));
    put(&folder, PRESENT, 1, 5000);
}

/// Stops the threads that check it, even if the test fails.
struct Done<'a>(&'a AtomicBool);

impl Drop for Done<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

#[test]
fn clear_while_programs_use_the_cache() {
    let scratch = Scratch::new("busy");
    let folder = scratch.kernels();
    for n in 1000..2000 {
        put(&folder, PRESENT, n, 100);
    }
    let (done, made) = (AtomicBool::new(false), AtomicU64::new(0));
    let removed = std::thread::scope(|scope| {
        let _done = Done(&done);
        for thread in 0..2 {
            let (folder, done, made) = (&folder, &done, &made);
            scope.spawn(move || {
                let cache = CacheConfig::at(folder);
                for n in (0..20).cycle() {
                    let wanted = vec![n as u8; 3000 + thread];
                    let make = || Ok::<_, String>(wanted.clone());
                    let number = n * 2 + thread as u64;
                    let got = cache.get(&PRESENT, || key(number), make, |object| Ok(object.to_vec()));
                    let (object, cached) = got.expect("it goes on");
                    assert!(object == wanted);
                    made.fetch_add(u64::from(!cached), Ordering::Relaxed);
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        let clear = || {
            let said = scratch.cache("clear");
            assert_eq!((said.code, said.err.as_str()), (Some(0), ""), "{said:?}");
            let number = said.out.split(' ').nth(1).and_then(|word| word.parse::<u64>().ok());
            number.expect("a number")
        };
        let mut removed = 0;
        for _ in 0..10 {
            let other = scope.spawn(clear);
            removed += clear() + other.join().expect("a number");
        }
        removed
    });
    let left = CacheConfig::at(&folder).usage().expect("a cache").entries as u64;
    // Each created entry was removed once, or is left. Two clears never count the same one.
    assert_eq!(made.into_inner() + 1000, removed + left);
}

#[test]
fn folders_that_cannot_be_used() {
    let scratch = Scratch::new("others");
    let folder = scratch.kernels();
    let kernel = put(&folder, PRESENT, 1, 10);
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o777)).expect("permissions");
    for action in ["info", "clear"] {
        scratch
            .cache(action)
            .fails("cannot be used: others may write to it")
            .fails("chmod go-w");
    }
    assert!(kernel.exists(), "what may be somebody else's stays");
    fs::remove_dir_all(&folder).expect("it goes");
    fs::write(&folder, "").expect("a file");
    for action in ["info", "clear"] {
        scratch
            .cache(action)
            .fails("Not a directory")
            .fails("remove the obstacle");
    }
}

#[test]
fn folders_that_cannot_be_written_to() {
    let scratch = Scratch::new("read-only");
    let folder = scratch.kernels();
    let kernel = put(&folder, PRESENT, 1, 10);
    let shard = kernel.parent().expect("a shard");
    // Nothing is read-only for root, so root runs this as another user.
    let is_root = fs::metadata("/proc/self").expect("it").uid() == 0;
    const NOBODY: u32 = 65534;
    let command = scratch.0.join("oxur");
    fs::copy(env!("CARGO_BIN_EXE_oxur"), &command).expect("the command");
    if is_root {
        for path in [folder.as_path(), shard, &kernel] {
            chown(path, Some(NOBODY), Some(NOBODY)).expect("root may");
        }
    }
    let mode = |path: &Path, mode| {
        fs::set_permissions(path, fs::Permissions::from_mode(mode)).expect("permissions");
    };
    let run = |folder: &Path, action| {
        let mut command = Command::new(&command);
        command
            .args(["cache", action])
            .env_clear()
            .env("UR_CPU_CACHE", folder)
            .current_dir("/");
        if is_root {
            command.uid(NOBODY).gid(NOBODY);
        }
        Said::new(&command.output().expect("the command runs"))
    };
    run(&folder, "info").has("content:  1 entry, 4.0 KiB");
    mode(&folder, 0o555);
    mode(shard, 0o555);
    let info = run(&folder, "info");
    info.fails("cannot be written to: Permission denied");
    assert!(info.out.contains("content:  1 entry, 4.0 KiB\n"), "{info:?}");
    let clear = run(&folder, "clear");
    clear.fails("1 entry, 4.0 KiB cannot be removed");
    assert!(clear.out.starts_with("removed 0 entries, 0 bytes"), "{clear:?}");
    assert!(kernel.exists());
    // A folder that does not exist and cannot be created.
    let missing = folder.join("ff/below");
    run(&missing, "info").fails("cannot be created: Permission denied");
    mode(&folder, 0o755);
    mode(shard, 0o755);
    run(&folder, "clear").has(&format!("removed 1 entry, 4.0 KiB from {}", folder.display()));
}

#[test]
fn wrong_usage() {
    let scratch = Scratch::new("usage");
    for arguments in [&["cache"][..], &["cache", "empty"], &["completions", "tcsh"]] {
        let said = scratch.oxur(&[], arguments);
        assert_eq!(said.code, Some(2), "{said:?}");
        assert!(said.err.contains("--help"), "{said:?}");
    }
}

#[test]
fn the_command_holds_no_compiler() {
    let bytes = fs::read(env!("CARGO_BIN_EXE_oxur")).expect("the command");
    let fatal = b"LLVM ERROR: ";
    assert!(!bytes.windows(fatal.len()).any(|window| window == fatal));
}
