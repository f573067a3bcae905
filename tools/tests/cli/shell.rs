// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//! What shells and readers ask for: completions, man pages, a closed pipe.

use super::*;

/// The completions that bash offers for these words. The last one is incomplete.
fn completed(place: &Place, words: &[&str]) -> Vec<String> {
    let script = place.path("completions");
    fs::write(&script, place.oxur(&["completions", "bash"]).stdout).expect("the script");
    let [.., before, word] = words else {
        panic!("the command and a word")
    };
    let output = Command::new("bash")
        .args(["--norc", "-c"])
        .arg("source \"$1\"; COMP_WORDS=(\"${@:4}\"); COMP_CWORD=$(($# - 4)); _oxur oxur \"$2\" \"$3\"; printf '%s\\n' \"${COMPREPLY[@]}\"")
        .arg("bash")
        .args([script.as_os_str()])
        .args([word, before])
        .args(words)
        .output()
        .expect("bash");
    assert!(
        output.status.success() && output.stderr.is_empty(),
        "{}",
        text(&output.stderr)
    );
    text(&output.stdout).lines().map(str::to_owned).collect()
}

#[test]
fn completions_offer_what_there_is() {
    let place = Place::new("completions");
    assert_eq!(
        completed(&place, &["oxur", "c"]),
        ["cache", "completions"],
        "the commands"
    );
    assert_eq!(completed(&place, &["oxur", "cache", "i"]), ["info"]);
    assert_eq!(completed(&place, &["oxur", "cache", "warm", "--ad"]), ["--adapter"]);
    assert_eq!(completed(&place, &["oxur", "completions", "z"]), ["zsh"]);
    assert_eq!(completed(&place, &["oxur", "run", "--dr"]), ["--dry-run"]);
    for hidden in [&["oxur", "opencl"][..], &["oxur", "man"], &["oxur", "doctor", "--in"]] {
        assert_eq!(completed(&place, hidden), [""; 1], "{hidden:?} is hidden");
    }
    for (shell, begins) in [("zsh", "#compdef oxur\n"), ("fish", "# Print an optspec")] {
        let output = place.oxur(&["completions", shell]);
        let out = text(&output.stdout);
        assert!(output.status.success() && out.starts_with(begins), "{out}");
        for word in ["cache", "graph", "libsycl", "completions"] {
            assert!(out.contains(word), "{word} for {shell}");
        }
        for hidden in ["opencl-offer", "man-pages", "inside"] {
            assert!(!out.contains(hidden), "{hidden} for {shell}");
        }
    }
}

#[test]
fn man_pages_of_all_commands() {
    let place = Place::new("man");
    let folder = place.path("share/man1");
    let output = place.oxur(&["man-pages", &folder.to_string_lossy()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let mut names: Vec<_> = fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"))
        .collect();
    names.sort();
    let pages = [
        "cache-clear.1",
        "cache-info.1",
        "cache-warm.1",
        "cache.1",
        "completions.1",
        "doctor.1",
        "graph.1",
        "info.1",
        "run.1",
    ];
    let mut expected = pages.map(|page| format!("oxur-{page}")).to_vec();
    expected.push("oxur.1".into());
    expected.sort();
    assert_eq!(names, expected);
    let page = |name: &str| fs::read_to_string(folder.join(name)).expect("a page");
    let main = page("oxur.1");
    assert!(
        main.contains(".TH oxur 1") && main.contains("oxur\\-cache(1)"),
        "{main}"
    );
    assert!(!main.contains("offer"), "{main}");
    let graph = page("oxur-graph.1");
    for part in ["\\-\\-svg", "\\-\\-libsycl", "Graphviz"] {
        assert!(graph.contains(part), "{part}: {graph}");
    }
    // A file where the folder should be.
    fails(
        &place,
        &["man-pages", &folder.join("oxur.1").to_string_lossy()],
        1,
        "name a folder",
    );
}

#[test]
fn a_reader_may_go() {
    let place = Place::new("a_reader_may_go");
    let (reader, writer) = std::io::pipe().expect("a pipe");
    drop(reader);
    let mut command = Command::new(place.path("bin/oxur"));
    let output = command.args(["completions", "bash"]).stdout(writer).output();
    let output = output.expect("the command runs");
    assert_eq!(output.status.signal(), Some(libc::SIGPIPE), "{output:?}");
    assert!(output.stderr.is_empty(), "{output:?}");
}
