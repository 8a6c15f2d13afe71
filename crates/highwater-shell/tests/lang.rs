//! The shell language in tables: what is understood, what is asked for, what is refused and how.

#[cfg(target_arch = "wasm32")]
use wasm_bindgen_test::wasm_bindgen_test as test;

use highwater_shell::lang::{
    Command, Connector, ExpandError, Extent, List, Missing, Parsed, RedirectTarget, Scope,
    expand_joined, expand_word, expand_words, first_command, parse, print, quote,
};

/// Variables of the tests: X holds two fields, E nothing, P a pattern; the status is 7.
struct Fixed;

impl Scope for Fixed {
    fn variable(&self, name: &str) -> Option<&[u8]> {
        match name {
            "X" => Some(b" one two "),
            "Y" => Some(b"why"),
            "E" => Some(b""),
            "P" => Some(b"*"),
            "LONG" => Some(&[b'a'; 70_000]),
            _ => None,
        }
    }
    fn exit_status(&self) -> u8 {
        7
    }
}

fn complete(input: &str) -> List {
    match parse(input.as_bytes()) {
        Ok(Parsed::Complete(list)) => list,
        other => panic!("{:?}: {other:?}", &input[..input.len().min(200)]),
    }
}

fn only_command(input: &str) -> Command {
    let mut list = complete(input);
    assert_eq!(list.items.len(), 1, "{input:?}");
    assert!(list.items[0].rest.is_empty(), "{input:?}");
    assert_eq!(list.items[0].first.commands.len(), 1, "{input:?}");
    list.items.remove(0).first.commands.remove(0)
}

/// The arguments of a command, as text with `|` between them.
fn arguments(input: &str) -> String {
    let fields = expand_words(&only_command(input).words, &Fixed).expect("short");
    let fields: Vec<_> =
        fields.iter().map(|field| String::from_utf8_lossy(field).into_owned()).collect();
    fields.join("|")
}

fn error(input: &str) -> String {
    match parse(input.as_bytes()) {
        Err(error) => error.to_string(),
        other => panic!("{input:?}: {other:?}"),
    }
}

/// Quotes, escapes, comments and variables make the arguments that bash makes.
#[test]
fn arguments_are_those_of_bash() {
    for (input, expected) in [
        ("a b  c\t d", "a|b|c|d"),
        ("a 'b  c' \"d  e\"", "a|b  c|d  e"),
        (r"a\ b \c \\ \'", r"a b|c|\|'"),
        (r#""a\"b\\c\$d\`e\f""#, r#"a"b\c$d`e\f"#),
        ("'a\\b\"$X'", "a\\b\"$X"),
        ("a'b'\"c\"d", "abcd"),
        ("a '' \"\" b", "a|||b"),
        ("a # b", "a"),
        ("a#b '#c' \\#d", "a#b|#c|#d"),
        ("a \\\n b", "a|b"),
        ("a\\\nb", "ab"),
        ("\"a\\\nb\"", "ab"),
        ("'a\\\nb'", "a\\\nb"),
        ("'a\nb'", "a\nb"),
        ("echo $X", "echo|one|two"),
        ("echo a$X-", "echo|a|one|two|-"),
        ("echo \"$X\"", "echo| one two "),
        ("echo $E $N \"$E\" a$E", "echo||a"),
        ("echo $Y$Y ${Y}s $Y-s \"${Y}\"", "echo|whywhy|whys|why-s|why"),
        ("echo $? \"$?\" ${?} a$?b", "echo|7|7|7|a7b"),
        ("echo '$X' \\$X \"\\$X\"", "echo|$X|$X|$X"),
        ("echo $ \"$\" a$ $% $=", "echo|$|$|a$|$%|$="),
        ("echo $P", "echo|*"),
        (r"echo $'a\tb\n\x41\101\u20ac\'' $'\q'", "echo|a\tb\nAA\u{20ac}'|\\q"),
        ("echo $\"a b\"", "echo|a b"),
        ("a=b", ""),
        ("echo a=b a=$X", "echo|a=b|a=|one|two"),
        ("echo {} {a} a,b [ ] a[ {a.b}", "echo|{}|{a}|a,b|[|]|a[|{a.b}"),
        ("echo a~ !", "echo|a~|!"),
        ("echo for if", "echo|for|if"),
        ("'for' x", "for|x"),
        ("echo z\u{fc}rich", "echo|z\u{fc}rich"),
        ("echo 2 >x", "echo|2"),
        ("echo 2>x", "echo"),
        ("echo a2>x", "echo|a2"),
    ] {
        assert_eq!(arguments(input), expected, "{input:?}");
    }
}

/// Lists, chains and pipelines keep their order and connectors; positions point at the command.
#[test]
fn lists_chains_and_pipelines() {
    let list = complete("a | b && c || d; e\n\n# note\nf |\n\n g\n");
    let shape: Vec<Vec<usize>> = list
        .items
        .iter()
        .map(|item| {
            let rest = item.rest.iter().map(|(_, pipeline)| pipeline.commands.len());
            std::iter::once(item.first.commands.len()).chain(rest).collect()
        })
        .collect();
    assert_eq!(shape, [vec![2, 1, 1], vec![1], vec![2]]);
    assert_eq!(list.items[0].rest[0].0, Connector::And);
    assert_eq!(list.items[0].rest[1].0, Connector::Or);
    let last = &list.items[2].first.commands[1];
    assert_eq!((last.at.line, last.at.column), (6, 2));
    assert!(complete("").items.is_empty());
    assert!(complete(" # only a note").items.is_empty());
    assert_eq!(complete("a &&\nb").items.len(), 1);
    assert_eq!(complete("a;").items.len(), 1);
    // Joined inside an operator and a name, as bash does.
    assert_eq!(complete("a &\\\n& b").items[0].rest.len(), 1);
    assert_eq!(arguments("echo $\\\nY ${\\\nY}"), "echo|why|why");
}

/// Columns count characters, not bytes.
#[test]
fn columns_are_in_characters() {
    let command = complete("\u{20ac}\u{fc} | b").items.remove(0).first.commands.remove(1);
    assert_eq!(command.at.column, 6);
}

#[test]
fn assignments_stand_before_the_command_only() {
    let command = only_command("A=1 B='x y'$Y C= echo D=4");
    let values: Vec<_> = command
        .assignments
        .iter()
        .map(|assignment| {
            (assignment.name.as_str(), expand_joined(&assignment.value, &Fixed).expect("valid"))
        })
        .collect();
    let expected = [("A", b"1".to_vec()), ("B", b"x ywhy".to_vec()), ("C", Vec::new())];
    assert_eq!(values, expected);
    assert_eq!(command.words.len(), 2);
    assert!(only_command("'A'=1").assignments.is_empty());
    assert!(only_command("1A=1").assignments.is_empty());
    assert_eq!(
        expand_joined(&only_command("A=$X").assignments[0].value, &Fixed).expect("valid"),
        b" one two "
    );
}

/// Every redirection with its descriptor, in the spelling of the printer.
#[test]
fn redirections() {
    for (input, expected) in [
        ("a 2>/dev/null", "a 2> /dev/null"),
        ("a >/dev/null 2>&1", "a > /dev/null 2>&1"),
        ("a 2>&1 >x", "a 2>&1 > x"),
        ("a &>x", "a > x 2>&1"),
        ("a &>>x", "a >> x 2>&1"),
        ("a >&x", "a > x 2>&1"),
        ("a >> x < y", "a >> x < y"),
        ("a 1>x 0<y 3>z", "a > x < y 3> z"),
        (">x a >y b", "a b > x > y"),
        // After a redirection a keyword is a word like any other, as in bash.
        (">x for a", "> x for a"),
        ("a >&2", "a >&2"),
        ("a >'x y'$Y", "a > 'x y'$Y"),
        ("a <<X\nb\nX", "a <<'EOF'\nb\nEOF"),
    ] {
        let printed = String::from_utf8(print(&complete(input))).expect("valid");
        assert_eq!(printed, expected, "{input:?}");
    }
}

fn here_document(input: &str) -> String {
    let command = only_command(input);
    let RedirectTarget::HereDocument(body) = &command.redirects[0].target else {
        panic!("{input:?}: {command:?}");
    };
    String::from_utf8(expand_joined(body, &Fixed).expect("short")).expect("text")
}

#[test]
fn heredocs() {
    for (input, expected) in [
        ("cat <<X\na  b\n\nX", "a  b\n\n"),
        ("cat <<X\nX", ""),
        ("cat <<X\n$Y ${Y} $? \\$Y \\\\ \\a \"q\" 'q'\nX", "why why 7 $Y \\ \\a \"q\" 'q'\n"),
        ("cat <<'X'\n$Y \\$Y\\\nX", "$Y \\$Y\\\n"),
        ("cat <<\"X\"\n$Y\nX", "$Y\n"),
        ("cat <<\\X\n$Y\nX", "$Y\n"),
        ("cat <<X\na\\\nX\nX", "aX\n"),
        ("cat <<XY\na\nX\\\nY", "a\n"),
        ("cat <<-X\n\ta\n\t\tb\n\tX", "a\nb\n"),
        ("cat <<X\n\ta\n X\nX", "\ta\n X\n"),
        ("cat << X >y\n*\nX", "*\n"),
        ("cat <<'A B'\na\nA B", "a\n"),
        ("cat <<''\na\n\n", "a\n"),
    ] {
        assert_eq!(here_document(input), expected, "{input:?}");
    }
    let list = complete("a <<X; b <<Y | c\n1\nX\n2\nY\nd");
    assert_eq!(list.items.len(), 3);
    let printed = "a <<'EOF'\n1\nEOF\nb <<'EOF' | c\n2\nEOF\nd";
    assert_eq!(String::from_utf8(print(&list)).expect("valid"), printed);
}

/// The terminal asks for another line, and knows what for.
#[test]
fn incomplete_input_says_what_is_missing() {
    for (input, expected) in [
        ("echo 'a", Missing::SingleQuote),
        ("echo $'a\\'", Missing::SingleQuote),
        ("echo \"a", Missing::DoubleQuote),
        ("echo \"a\\", Missing::DoubleQuote),
        ("echo a \\", Missing::NextLine),
        ("echo a\\", Missing::NextLine),
        ("\\", Missing::NextLine),
        ("a |", Missing::Command),
        ("a | # note", Missing::Command),
        ("a &&\n\n", Missing::Command),
        ("a ||", Missing::Command),
        ("cat <<X", Missing::HereDocumentEnd),
        ("cat <<X\na\nXX\n", Missing::HereDocumentEnd),
        ("cat <<X |\na\nX", Missing::Command),
        ("cat <<'X", Missing::SingleQuote),
    ] {
        assert_eq!(parse(input.as_bytes()), Ok(Parsed::Incomplete(expected)), "{input:?}");
        assert_eq!(first_command(input.as_bytes()), Extent::Incomplete(expected), "{input:?}");
        assert!(!expected.as_str().is_empty());
    }
    assert_eq!(complete("echo \\\n").items.len(), 1);
}

/// What bash knows and this shell does not is refused by name, at its column.
#[test]
fn unknown_grammar_is_refused_by_name() {
    let not_yet = "is not understood here yet";
    for (input, column, name) in [
        ("echo `date`", 6, "```"),
        ("echo $(echo `date`)", 13, "```"),
        ("(a; while b; do c; done)", 5, "`while`"),
        ("((1 + 2))", 1, "`$((`"),
        ("for ((i = 0; i < 3; i++)); do a; done", 5, "`$((`"),
        ("echo $@", 6, "`$`"),
        ("a; while true; do b; done", 4, "`while`"),
        ("until a; do b; done", 1, "`until`"),
        ("if a; then b; fi", 1, "`if`"),
        ("case a in b) c;; esac", 1, "`case`"),
        ("select a in b; do c; done", 1, "`select`"),
        ("f() { a; }", 2, "`()`"),
        ("function f { a; }", 1, "`()`"),
        ("[[ a = b ]]", 1, "`[[`"),
        ("time a", 1, "`time`"),
        ("coproc a", 1, "`coproc`"),
        ("echo {a,b}", 6, "`{,}`"),
        ("echo {1..3}", 6, "`{,}`"),
        ("cat <(a)", 5, "`<(`"),
        ("cat <<<a", 5, "`<<<`"),
        ("ls ~", 4, "`~`"),
        ("echo ${A:-b}", 6, "`${`"),
        ("echo $1", 6, "`$`"),
        ("A+=b", 1, "`+=`"),
        ("A=(a b)", 3, "`=(`"),
        ("a |& b", 3, "`|&`"),
        ("a >|b", 3, "`>|`"),
        ("a <>b", 3, "`<>`"),
        ("a 2>&-", 3, "`>&`"),
        ("a <&3", 3, "`>&`"),
    ] {
        let expected = format!("column {column}: {name} {not_yet}; ");
        assert!(error(input).starts_with(&expected), "{input:?}: {}", error(input));
    }
    assert_eq!(
        error("\u{fc}\u{fc}\u{fc} 12345 |& b"),
        "column 11: `|&` is not understood here yet; use `2>&1 |`"
    );
    assert!(error("cat <<X\na\n $(`b`)\nX").starts_with("line 3, column 4: ```"));
    // The leftmost trouble is named, also when another one was found first.
    assert!(error("a |& echo ~").starts_with("column 3: `|&`"));
    assert!(error("echo ~ |& c").starts_with("column 6: `~`"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    for (input, expected) in [
        ("| a", "column 1: `|` has no command before it; write one, or take it away"),
        ("a | | b", "column 5: `|` has no command before it; write one, or take it away"),
        ("a;; b", "column 3: `;` has no command before it; write one, or take it away"),
        ("&& a", "column 1: `&&` has no command before it; write one, or take it away"),
        ("& a", "column 1: `&` has no command before it; write one, or take it away"),
        ("a >", "column 3: `>` needs a word after it, such as /dev/null"),
        ("a > | b", "column 3: `>` needs a word after it, such as /dev/null"),
        ("a <<", "column 3: `<<` needs the word that ends the heredoc, such as EOF"),
        ("a )", "column 3: `)` does not fit here; quote it if it is meant as it stands"),
        ("done", "column 1: `done` does not fit here; quote it if it is meant as it stands"),
        ("a 22>x", "column 3: a file descriptor is one digit, such as the 2 in `2>&1`"),
    ] {
        assert_eq!(error(input), expected, "{input:?}");
    }
}

/// Long input, long words and long expansions are bounded, and deep ones need no stack.
#[test]
fn everything_is_bounded() {
    let mib = 1 << 20;
    assert_eq!(
        error(&"a".repeat(mib + 1)),
        "column 1: the input is longer than 1 MiB; give it in smaller pieces"
    );
    assert_eq!(arguments(&"a".repeat(mib)).len(), mib);
    assert_eq!(complete(&["a|\n".repeat(mib / 4).as_str(), "a"].concat()).items.len(), 1);
    assert_eq!(complete(&"a;".repeat(mib / 2)).items.len(), mib / 2);
    assert_eq!(complete(&"\n".repeat(mib)).items.len(), 0);
    assert!(parse("a|".repeat(mib / 2).as_bytes()).is_ok());
    assert!(parse(["a |", &"\n".repeat(mib - 3)].concat().as_bytes()).is_ok());
    assert!(parse("(".repeat(mib).as_bytes()).is_err());
    assert!(parse("$(".repeat(mib / 2).as_bytes()).is_err());
    assert!(parse("{".repeat(mib).as_bytes()).is_ok());
    let words = only_command(&["echo", &" $LONG".repeat(40)].concat()).words;
    assert_eq!(expand_words(&words, &Fixed), Err(ExpandError::TooLong));
    assert_eq!(expand_word(&words[1], &Fixed).expect("valid")[0].len(), 70_000);
}

/// Where a command ends in a longer text, also one that is refused.
#[test]
fn first_command_ends_where_nothing_is_open() {
    for (text, expected) in [
        ("a\nb", "a"),
        ("a; b\nc", "a; b"),
        ("a \\\nb\nc", "a \\\nb"),
        ("a |\nb\nc", "a |\nb"),
        ("echo 'a\nb'\nc", "echo 'a\nb'"),
        ("cat <<X\na\nX\nc", "cat <<X\na\nX"),
        ("cat <<X | b $(c)\na\nX\nc", "cat <<X | b $(c)\na\nX"),
        ("for i in 1; do a & done\nb", "for i in 1; do a & done"),
        ("", ""),
    ] {
        let extent = first_command(text.as_bytes());
        assert_eq!(extent, Extent::Complete { bytes: expected.len() }, "{text:?}");
    }
}

/// The shortest spelling that a person would choose.
#[test]
fn quoting() {
    for (bytes, expected) in [
        (&b"parcel-events"[..], "parcel-events"),
        (b"localhost:9092", "localhost:9092"),
        (b"", "''"),
        (b"a b", "'a b'"),
        (b"a.*", "'a.*'"),
        (b"it's", "\"it's\""),
        (b"it's $5", "\"it's \\$5\""),
        (b"it's `$$$`", "'it'\\''s `$$$`'"),
        (b"it's!", "'it'\\''s!'"),
        (b"a\tb\n", "$'a\\tb\\n'"),
        (b"\xff\\'", "$'\\xff\\\\\\''"),
        ("z\u{fc}rich".as_bytes(), "z\u{fc}rich"),
        (b"key=value", "key=value"),
        (b"~", "'~'"),
        (b"#1", "'#1'"),
        (b"{\"a\":1}", "'{\"a\":1}'"),
    ] {
        assert_eq!(quote(bytes), expected, "{bytes:?}");
    }
}
