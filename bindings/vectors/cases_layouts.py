# SPDX-License-Identifier: MIT
"""Rows of layouts.tsv: what is a layout, what it means, and what must be refused."""
from reference import PRESETS, SpecError, check, parse

COLUMNS = (
    "text status canonical time_bits time_shift node_bits node_shift seq_bits seq_shift"
    " tick_ms epoch_ms expires_ms now_ms check why"
).split()

NOW_MS = 1750000000000  # 2025-06-15T15:06:40Z

# (text, check at NOW_MS, why): stated by hand, so that the reference cannot agree with itself.
GOOD = [
    ("41/10/12", "ok", "the default, written out"),
    ("42/8/13", "ok", "139 years, 256 nodes, 8192 IDs a tick; 63 bits"),
    ("41/12/10", "ok", "more nodes, fewer IDs a tick; 63 bits"),
    ("39/10/14", "ok", "17 years, 16384 IDs a tick; 63 bits"),
    ("t28n22s13*1s@1463673600000", "time_used_up", "Baidu's default: 8.5 years, ended in 2024"),
    ("t29n21s13*1s@1474300800000", "ok", "the layout of the ID in Baidu's README"),
    ("41/10/12@1288834974657", "ok", "an epoch after the short form: the twitter preset"),
    ("39/16/8*10ms", "ok", "a tick after the short form"),
    ("39/16/8*10ms@1409529600000", "ok", "tick, then epoch, after the short form"),
    ("32/16/15*1s", "ok", "a tick in seconds"),
    ("t41n10s12", "ok", "the full form without tick and epoch: the default ones"),
    ("t41s12n10", "ok", "sequence in the middle: time is on top, so it generates"),
    ("t39s8n16*10ms@1735689600000", "ok", "Sonyflake's order"),
    ("41/10/12*1ms", "ok", "the default tick may be given; the canonical text leaves it out"),
    ("41/10/12*1000ms", "ok", "1000 ms is a whole second: written *1s"),
    ("41/10/12*1500ms", "ok", "1500 ms is no whole second: stays in ms"),
    ("41/10/12*10s", "ok", "the longest tick"),
    ("41/10/12*10000ms", "ok", "the longest tick in ms"),
    ("41/10/12@0", "ok", "0 alone is no leading zero: the epoch is 1970"),
    ("41/10/12@1750000000000", "ok", "the epoch is now: tick 0 has begun"),
    ("41/10/12@1750000000001", "before_epoch", "the epoch is 1 ms ahead"),
    ("41/10/12@1750003600000", "before_epoch", "the epoch is an hour ahead"),
    ("41/10/12@4102444800000", "before_epoch", "the latest epoch, 2100"),
    ("41/0/12", "ok", "no node field: left out of the canonical text, its shift is 0"),
    ("41/10/0", "ok", "no sequence field: one ID a tick"),
    ("41/0/0", "ok", "time alone"),
    ("t41", "ok", "time alone, full form"),
    ("t41s12", "ok", "no node field, full form"),
    ("t41n10", "ok", "no sequence field, full form"),
    ("t41n0s12", "ok", "a width of 0 may be written; the canonical text leaves it out"),
    ("n0t41s12", "ok", "a field of 0 bits above the time is none: time is on top"),
    ("t1@1749999999999", "ok", "the smallest field: two ticks, and the second is now"),
    ("t1@1749999999998", "time_used_up", "the smallest field, ended this very ms"),
    ("t1n32s30@1750000000000", "ok", "63 bits with the widest node field"),
    ("t1n30s32@1750000000000", "ok", "63 bits with the widest sequence field"),
    ("43/10/10", "ok", "the most bits of time that generate"),
    ("44/9/10", "not_supported", "44 bits of time: decodes only"),
    ("48/0/0", "not_supported", "48 bits of time: decodes only"),
    ("48/8/8", "not_supported", "64 bits: decodes only"),
    ("41/10/13", "not_supported", "64 bits: an ID could be negative as int64, so decodes only"),
    ("t1n32s31", "not_supported", "64 bits with the widest node field"),
    ("n10t41s12", "not_supported", "node on top: IDs are not ordered by time, so decodes only"),
    ("s12t41n10", "not_supported", "sequence on top: decodes only"),
    ("n10s12t41", "not_supported", "time lowest: decodes only"),
    ("t48n16@0", "not_supported", "64 bits without sequence field"),
    ("48/8/8*10s@4102444800000", "not_supported", "the latest end of all: fits int64 ms"),
]

PRESET_CHECKS = {"discord", "instagram", "mastodon", "tsid"}  # 64 bits: these decode only

BAD = [
    ("", "empty"),
    (" ", "a blank"),
    ("-1", "a number is no layout"),
    ("-", "a dash"),
    ("41", "one number"),
    ("0x10", "hexadecimal"),
    ("41/10", "two numbers"),
    ("41/10/12/1", "four numbers"),
    ("41//12", "an empty number"),
    ("/10/12", "the time width is missing"),
    ("41/10/", "the sequence width is missing"),
    ("41/10/12/", "trailing slash"),
    ("+41/10/12", "a sign"),
    ("41/-10/12", "a sign inside"),
    ("041/10/12", "a leading zero"),
    ("41/010/12", "a leading zero inside"),
    ("41/00/12", "00 is a leading zero"),
    ("41/10/0x0c", "hexadecimal inside"),
    ("41.0/10/12", "a decimal point"),
    ("41/10/1e1", "an exponent"),
    ("41,10,12", "wrong separator"),
    ("41\\10\\12", "backslashes"),
    (" 41/10/12", "leading blank"),
    ("41/10/12 ", "trailing blank"),
    ("41/ 10/12", "blank inside"),
    ("41/10/12\t", "trailing tab"),
    ("41/10/12\n", "trailing line feed"),
    ("41/10/12\r\n", "trailing CR LF"),
    ("41/10/12\0", "the NUL counts: the text has nine bytes"),
    ("41/10\0/12", "a NUL inside"),
    ("\0", "only a NUL"),
    ("twitter\0", "a NUL after a preset's name"),
    ("41/10/12x", "trailing letter"),
    ("41/10/12;", "trailing punctuation"),
    ("Twitter", "names are lower case exactly"),
    ("TWITTER", "names are lower case exactly"),
    ("twitter ", "trailing blank after a name"),
    ("twitte", "the start of a name"),
    ("twitterr", "more than a name"),
    ("default", "not the name of a preset"),
    ("sonyflake2", "not the name of a preset: version 2 is sonyflake"),
    ("baidu", "not the name of a preset"),
    ("twitter@0", "a preset has its epoch"),
    ("sonyflake*1ms", "a preset has its tick"),
    ("t41n10s12t1", "time twice"),
    ("t41t10", "time twice in two fields"),
    ("t41n10n12", "node twice"),
    ("t41s12s12", "sequence twice"),
    ("t41n0n10", "node twice, once with 0 bits"),
    ("n10s12", "time is missing"),
    ("s12", "time is missing"),
    ("t0n10s12", "time of 0 bits"),
    ("0/10/12", "time of 0 bits, short form"),
    ("0/0/0", "no bits at all"),
    ("t", "a letter without width"),
    ("tn10s12", "time without width"),
    ("t41n10s", "sequence without width"),
    ("41n10s12", "width without letter"),
    ("T41n10s12", "upper case letter"),
    ("t41N10s12", "upper case letter"),
    ("t41n10S12", "upper case letter"),
    ("t41x10s12", "unknown letter"),
    ("t41 n10 s12", "blanks between fields"),
    ("t41/n10/s12", "the two forms mixed"),
    ("t041n10s12", "leading zero"),
    ("t+41n10s12", "a sign"),
    ("49/0/0", "49 bits of time"),
    ("t49n10", "49 bits of time"),
    ("20/33/0", "33 bits of node"),
    ("20/0/33", "33 bits of sequence"),
    ("48/9/8", "65 bits"),
    ("41/12/12", "65 bits"),
    ("t1n32s32", "65 bits, each field within its limit"),
    ("48/32/32", "112 bits, each field within its limit"),
    ("63/0/0", "63 bits of time"),
    ("64/0/0", "64 bits of time"),
    ("256/10/12", "2^8: must not be read as 0"),
    ("297/10/12", "2^8 + 41: must not be read as 41"),
    ("4294967337/10/12", "2^32 + 41: must not be read as 41"),
    ("18446744073709551657/10/12", "2^64 + 41: must not be read as 41"),
    ("41/18446744073709551626/12", "2^64 + 10: must not be read as 10"),
    ("41/10/12*0ms", "a tick of 0"),
    ("41/10/12*0s", "a tick of 0 seconds"),
    ("41/10/12*10001ms", "a tick above 10 s"),
    ("41/10/12*11s", "a tick above 10 s"),
    ("41/10/12*4294967297ms", "2^32 + 1 ms: must not be read as 1"),
    ("41/10/12*18446744073709551617ms", "2^64 + 1 ms: must not be read as 1"),
    ("41/10/12*18446744073709551s", "times 1000 this passes 2^64: must not wrap"),
    ("41/10/12*10", "a tick without unit"),
    ("41/10/12*ms", "a unit without number"),
    ("41/10/12*", "nothing after the star"),
    ("41/10/12*10m", "unknown unit"),
    ("41/10/12*10us", "unknown unit"),
    ("41/10/12*10MS", "units are lower case"),
    ("41/10/12*10S", "units are lower case"),
    ("41/10/12*10 ms", "a blank before the unit"),
    ("41/10/12*010ms", "leading zero"),
    ("41/10/12*-1ms", "negative"),
    ("41/10/12*1.5s", "a fraction"),
    ("41/10/12*1s*1s", "the tick twice"),
    ("41/10/12*1s500ms", "two units"),
    ("41/10/12@", "nothing after the at sign"),
    ("41/10/12@-1", "a negative epoch"),
    ("41/10/12@+1", "a sign"),
    ("41/10/12@01", "leading zero"),
    ("41/10/12@00", "leading zero"),
    ("41/10/12@ 1", "a blank"),
    ("41/10/12@4102444800001", "an epoch after 2100"),
    ("41/10/12@1735689600000000", "an epoch in us"),
    ("41/10/12@9223372036854775807", "2^63 - 1"),
    ("41/10/12@9223372036854775808", "2^63: must not turn negative"),
    ("41/10/12@18446744073709551616", "2^64: must not be read as 0"),
    ("41/10/12@18446745809399151616", "2^64 + the default epoch: must not wrap"),
    ("41/10/12@100000000000000000000000000000", "30 digits"),
    ("41/10/12@1735689600000@1735689600000", "the epoch twice"),
    ("41/10/12@1735689600000*10ms", "epoch before tick"),
    ("41/10/12@1735689600000ms", "the epoch has no unit"),
    ("41/10/12@2025-01-01", "a date is no epoch"),
    ("@1735689600000", "an epoch alone"),
    ("*10ms", "a tick alone"),
    ("\u0664\u0661/10/12", "Arabic-Indic digits 41"),
    ("\uff14\uff11/10/12", "full-width digits 41"),
    ("t\u0664\u0661n10s12", "Arabic-Indic digits 41, full form"),
    ("41/10/12@\u0660", "an Arabic-Indic zero"),
    ("\u00e941/10/12", "a letter with accent"),
    ("\ufeff41/10/12", "a byte order mark"),
    ("41\u00a0/10/12", "a no-break space"),
    ("41\u221510\u221512", "a division slash"),
    ("1" * 64, "64 digits"),
    ("41/10/12" + " " * 300, "300 trailing blanks"),
]


def status_of(call, *args):
    """The status name of a call that returns or raises SpecError."""
    try:
        call(*args)
    except SpecError as refusal:
        return refusal.args[0]
    return "ok"


def good_row(text, now_ms, expected, why):
    layout = parse(text)
    assert status_of(check, layout, now_ms) == expected, text
    fields = [part(letter) for letter in "tns" for part in (layout.bits, layout.shift)]
    times = [layout.tick_ms, layout.epoch_ms, layout.expires_ms(), now_ms]
    return [text, "ok", layout.text(), *fields, *times, expected, why]


def preset_rows():
    """Each preset by name, in full, and at both edges of its life."""
    for name, text in PRESETS.items():
        layout = parse(name)
        assert layout.text() == text
        begins, ends = layout.epoch_ms, layout.expires_ms()
        usable = "not_supported" if name in PRESET_CHECKS else "ok"
        yield good_row(name, NOW_MS, usable, f"preset {name}: {text}")
        yield good_row(text, NOW_MS, usable, f"what {name} stands for; canonical already")
        if usable == "ok":
            yield good_row(name, begins, "ok", f"{name} at its epoch")
            yield good_row(name, begins - 1, "before_epoch", f"{name} 1 ms before its epoch")
            yield good_row(name, ends - 1, "ok", f"{name} in its last ms")
            yield good_row(name, ends, "time_used_up", f"{name} when the time field has ended")


def rows():
    yield from preset_rows()
    for text, expected, why in GOOD:
        yield good_row(text, NOW_MS, expected, why)
    yield good_row("41/10/12@0", -1, "before_epoch", "a time before 1970 is before every epoch")
    yield good_row("mastodon", -1, "not_supported", "what the layout cannot do comes first")
    for text, why in BAD:
        assert status_of(parse, text) == "bad_layout", text
        yield [text, "bad_layout", *[None] * (len(COLUMNS) - 3), why]
