//! Texts without personal data that look similar to it, for measuring precision.

/// The texts of each half.
pub const NOTHING: [&[&str]; 2] = [
    &[
        "order 1##-#######-#######",
        "version ^.#.##.1",
        "took ^#### ms, 01 02 03 04 05",
        "{\"call\":{\"size\":3######}}",
        "**2025-1^-2^** released",
        "at 10.#.#.^#",
        "ISBN 978-0-^##-#####-#",
        "call 3 of ^##",
        "2024-0^-2#T1#:0#:##Z",
        "id 17##############",
        "row 8########",
        "EAN 50###########",
        "-2025-0^-1^",
        "cell ^## of row ^",
        "span 3###############",
        "{\"mobile_users\": 5######}",
        "phone_count=6######",
        "cell_size: 7######",
        "{\"calls\": 5######}",
        "waited 2^#### seconds",
    ],
    &[
        "ticket ^######## was closed",
        "release 20.^.#.# is out",
        "up for 1^###### seconds",
        "{\"phone_calls\": 4######}",
        "+2026-0^-2^",
        "on 192.168.#.^#",
        "EAN 40##########^",
        "cell B^## holds text",
        "see section 4.^.#",
        "trace 9################",
    ],
];
