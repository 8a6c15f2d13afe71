//! What GNU's tools have beside what is here: who asks for one of these options is told so, instead of that there is
//! none.

/// Tools, each with its letters and long names.
pub(super) const GNU: &[(&str, &str, &[&str])] = &[
    (
        "cat",
        "AbeEstTv",
        &[
            "show-all",
            "number-nonblank",
            "show-ends",
            "squeeze-blank",
            "show-tabs",
            "show-nonprinting",
        ],
    ),
    ("cut", "nz", &["complement", "zero-terminated"]),
    (
        "grep",
        "ABCDTUZabdryz",
        &[
            "after-context",
            "before-context",
            "context",
            "color",
            "colour",
            "recursive",
            "include",
            "exclude",
            "text",
            "byte-offset",
            "file",
        ],
    ),
    ("head", "z", &["zero-terminated"]),
    (
        "ls",
        "BCDFGHILNQRSTUXZbcfghiklmnoqstuvwx",
        &["color", "human-readable", "inode", "recursive", "size", "sort", "time", "full-time"],
    ),
    ("mkdir", "mvZ", &["mode", "verbose"]),
    ("rm", "I", &["interactive", "one-file-system"]),
    (
        "sort",
        "CMRSTVcdghimoz",
        &[
            "check",
            "dictionary-order",
            "general-numeric-sort",
            "human-numeric-sort",
            "merge",
            "month-sort",
            "output",
            "random-sort",
            "version-sort",
        ],
    ),
    ("tail", "Fsz", &["pid", "retry", "sleep-interval", "zero-terminated"]),
    ("touch", "adhmrt", &["date", "no-dereference", "reference", "time"]),
    ("uniq", "Dfswz", &["all-repeated", "check-chars", "group", "skip-chars", "skip-fields"]),
    ("wc", "L", &["files0-from", "max-line-length"]),
];
