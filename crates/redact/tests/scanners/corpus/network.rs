//! Email addresses, and addresses in networks.

use mcp_sieve_redact::Kind;

use super::{
    checks::{address, any},
    class::{Class, class, sentences},
};

pub const CLASSES: &[Class] = &[
    class(
        Kind::Email,
        "any",
        any,
        sentences(
            &["write to {}", "<{}>", "email: {}."],
            &[
                &["jane", "t.okafor", "info+x#"],
                &["@example.com", "@mail.example.org", "@[192.0.2.^#]", "@firma.example"],
            ],
        ),
        sentences(
            &["cc {}, please", "mailto:{}", "(by {})"],
            &[
                &["r_lind#", "o'hara", "sales-eu"],
                &[
                    "@example.net",
                    "@a.b.example.co.uk",
                    "@[198.51.100.^#]",
                    "@[IPv6:2001:db8::^]",
                    "@münchen.example",
                ],
            ],
        ),
    ),
    class(
        Kind::Ip,
        "any",
        address,
        sentences(&["host {}", "from {}."], &[&["##.###.##.#", "##.1#.2##.1##"]]),
        sentences(&["login by {} failed", "client={}"], &[&["##.##.#.##", "##.2##.1#.#"]]),
    ),
    class(
        Kind::Mac,
        "any",
        any,
        sentences(&["device {}", "MAC {}."], &[&["0^:1A:2B:##:4#:5^", "0^-1A-2B-##-4#-5^"]]),
        sentences(
            &["hw addr {} joined", "ether {}"],
            &[&["f^:c#:9#:##:e#:b^", "D^-##-A#-##-B#-C^", "0^1a.2b##.4c5^"]],
        ),
    ),
    class(
        Kind::Url,
        "any",
        any,
        sentences(
            &["clone {}", "remote = {}"],
            &[&[
                "https://bot:s3cr$t#@git.example.com/x",
                "postgresql+asyncpg://user:pw##$@db.example.com/app",
            ]],
        ),
        sentences(
            &["connect to {} now", "url: {}"],
            &[&[
                "amqp://svc:x#$$#@mq.example.net:5672/v",
                "ftp://me:q$$#@files.example.org/a",
                "mongodb+srv://app:z##$@c.example.com/db",
            ]],
        ),
    ),
];
