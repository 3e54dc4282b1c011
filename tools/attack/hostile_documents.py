"""Documents and archives made to harm: entities, bombs, names that climb out of the folder, files cut short."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import stat
import struct
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from harness import SECRET, Attempt, attempt, documents, forked

BUILD = "collection build bad -o new --keep all --processes 1 -q"
_DOCUMENT = """<us-patent-grant lang="EN" country="US"><us-bibliographic-data-grant><publication-reference><document-id>
<country>US</country><doc-number>07000000</doc-number><kind>B2</kind><date>20060214</date></document-id>
</publication-reference><invention-title id="d0">{title}</invention-title></us-bibliographic-data-grant>
<abstract id="a"><p id="p" num="0">{abstract}</p></abstract><claims id="c"><claim id="1" num="1"><claim-text>A
nail.</claim-text></claim></claims></us-patent-grant>"""


def xml(title: str = "Nail", abstract: str = "A nail.", prolog: str = "", declaration: str = "") -> bytes:
    text = (declaration or '<?xml version="1.0" encoding="UTF-8"?>\n') + prolog + _DOCUMENT
    return text.replace("{title}", title).replace("{abstract}", abstract).encode("utf-8", "surrogatepass")


def entity_files(outside: Path) -> Iterator[tuple[str, bytes]]:
    """XML with entities, includes and styles that lead elsewhere, or that grow."""
    secret = (outside / "secret.txt").as_uri()
    doctype = "<!DOCTYPE us-patent-grant [{}]>\n"
    laughs = '<!ENTITY l0 "ha">' + "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
    yield "a billion laughs", xml("&l9;", prolog=doctype.format(laughs))
    yield "quadratic growth", xml("&a;" * 20000, prolog=doctype.format(f'<!ENTITY a "{"a" * 20000}">'))
    yield "an external entity", xml("&x;", prolog=doctype.format(f'<!ENTITY x SYSTEM "{secret}">'))
    yield "an external type", xml(prolog=f'<!DOCTYPE us-patent-grant SYSTEM "{secret}">\n')
    yield "a type from the network", xml(prolog='<!DOCTYPE us-patent-grant SYSTEM "http://127.0.0.1:9/x.dtd">\n')
    parameter = f'<!ENTITY % x SYSTEM "{secret}"> %x;'
    yield "a parameter entity", xml(prolog=doctype.format(parameter))
    yield "an entity that holds itself", xml("&a;", prolog=doctype.format('<!ENTITY a "&b;"><!ENTITY b "&a;">'))
    include = f'<xi:include xmlns:xi="http://www.w3.org/2001/XInclude" parse="text" href="{secret}"/>'
    yield "an include", xml(abstract=include)
    yield "a style sheet", xml(prolog=f'<?xml-stylesheet type="text/xsl" href="{secret}"?>\n')
    yield "an unknown entity", xml("&nosuch; &#0; &#x110000; &#xD800;")
    yield "an undeclared prefix", xml("<a:b>x</a:b>")
    yield "a type inside the document", xml(doctype.format(f'<!ENTITY x SYSTEM "{secret}">') + "&x;")


def shape_files() -> Iterator[tuple[str, bytes]]:
    """XML of sizes and encodings that nobody writes."""
    yield "nested 20,000 deep", xml(abstract="<b>" * 20000 + "x" + "</b>" * 20000)
    yield "nested and never closed", xml(abstract="<b>" * 200000)
    yield "100,000 attributes", xml(abstract="<b " + " ".join(f'a{n}="x"' for n in range(100000)) + ">x</b>")
    yield "a name of a megabyte", xml(abstract=f"<{'b' * 2**20}>x</{'b' * 2**20}>")
    yield "a comment that never ends", xml("<!--" + "-" * 100000)
    yield "a section that never ends", xml("<![CDATA[" + "]" * 100000)
    yield "an instruction that never ends", xml("<?x " + "?" * 100000)
    yield "200,000 open brackets", xml("<" * 200000)
    yield "200,000 ampersands", xml("&" * 200000)
    for code in ("UTF-7", "UTF-16", "UTF-32", "cp037", "no-such", "\x1b[31m"):
        yield f"declared as {code!r}", xml(declaration=f'<?xml version="1.0" encoding="{code}"?>\n')
    for code in ("utf-16", "utf-32"):
        yield f"written as {code}", xml().decode().encode(code)
    yield "zero bytes", xml("a\0b")
    yield "half a document", xml()[:300]
    yield "surrogates", xml("\ud800")
    yield "control codes in the title", xml("\x1b[31mred\x07")
    yield "20,000 documents in one line", xml() * 20
    for text in (
        "[" * 100000,
        '{"a":' * 100000,
        '{"id": "' + "x" * 10**6 + '"}',
        '{"id": 1e999}',
        '{"id": "a", "id": "b"}',
    ):
        yield f"JSON lines: {text[:12]}", text.encode() + b"\n"


def zips() -> Iterator[tuple[str, bytes]]:
    """Zip archives whose members climb, link, grow, or are not what they say."""
    for name in (
        "../outside/planted.txt",
        "/tmp/leadline-planted.xml",
        "..\\outside\\x",
        "C:\\x.xml",
        "a/../../x.xml",
        "\x1b[31m.xml",
        "a\nb.xml",
        "x" * 60000,
    ):
        yield f"zip: a member {name[:30]!r}", _zip({name: xml()})
    link = zipfile.ZipInfo("link.xml")
    link.external_attr = (stat.S_IFLNK | 0o777) << 16
    yield "zip: a link", _zip({link: b"../outside/secret.txt"})
    deep = _zip({"x.xml": xml()})
    for _ in range(6):
        deep = _zip({"x.zip": deep})
    yield "zip: seven deep", deep
    yield "zip: 20,000 members", _zip({f"{n}.xml": b"" for n in range(20000)})
    good = bytearray(_zip({"x.xml": xml()}))
    encrypted = bytearray(good)
    encrypted[6] |= 1
    at = encrypted.rfind(b"PK\x01\x02")
    encrypted[at + 8] |= 1
    yield "zip: encrypted", bytes(encrypted)
    wrong = bytearray(good)
    wrong[good.rfind(b"PK\x01\x02") + 16] ^= 0xFF
    yield "zip: a wrong checksum", bytes(wrong)
    large = bytearray(good)
    large[at + 20 : at + 28] = struct.pack("<II", 0xFFFFFFF0, 0xFFFFFFF0)
    yield "zip: sizes of 4 GB", bytes(large)
    method = bytearray(good)
    method[at + 10] = 99
    yield "zip: an unknown method", bytes(method)
    for cut in range(1, len(good), max(1, len(good) // 12)):
        yield f"zip: cut to {cut} bytes", bytes(good[:cut])
    yield "zip: a bomb of 1 GB", _zip({"bomb.xml": bytes(2**30)}, level=1)
    yield "zip: a bomb in a bomb", _zip({"inner.zip": _zip({"bomb.xml": bytes(2**29)}, level=1)})


def tars() -> Iterator[tuple[str, bytes]]:
    """Tar archives with links, devices, wild sizes and names that climb."""
    for name in ("../outside/planted.txt", "/tmp/leadline-planted.xml", "a/../../x.xml", "\x1b[31m.xml", "a\nb.xml"):
        yield f"tar: a member {name!r}", _tar([(name, b"0", xml(), "")])
    for kind, words in (
        (tarfile.SYMTYPE, "link"),
        (tarfile.LNKTYPE, "hard link"),
        (tarfile.CHRTYPE, "device"),
        (tarfile.FIFOTYPE, "pipe"),
    ):
        yield f"tar: a {words}", _tar([("l.xml", kind, b"", "../outside/secret.txt"), ("x.xml", b"0", xml(), "")])
    good = _tar([("x.xml", b"0", xml(), "")])
    for cut in (1, 100, 511, 512, 513, 700, 1024, len(good) - 600):
        yield f"tar: cut to {cut} bytes", good[:cut]
    for size in (b"77777777777", b"-0000000001", b"\x80" + b"\xff" * 10, b"\xff" * 11, b"zzzzzzzzzzz"):
        yield f"tar: size {size!r}", good[:124] + size + good[135:]
    pax = b"30 path=" + b"../" * 7 + b"\n"
    yield "tar: a name in an extended header", _tar([("h", b"x", pax, ""), ("x.xml", b"0", xml(), "")])
    yield "tar: an endless extended header", _tar([("h", b"x", b"99999999 path=x\n", ""), ("x.xml", b"0", xml(), "")])


def packed() -> Iterator[tuple[str, bytes]]:
    """Compressed files that grow, that are cut, or that go on after their end."""
    part = bytes(2**24)  # files of these kinds can be joined: a bomb is made in no time
    yield "gz: a bomb of 1 GB", gzip.compress(part) * 64
    yield "xz: a bomb of 1 GB", lzma.compress(part) * 64
    yield "bz2: a bomb of 1 GB", bz2.compress(part) * 64
    for ending, pack in (("gz", gzip.compress), ("xz", lzma.compress), ("bz2", bz2.compress), ("zst", _zstandard)):
        good = pack(documents(20).encode())
        for cut in (3, 6, 10, len(good) // 2, len(good) - 1):
            yield f"{ending}: cut to {cut} bytes", good[:cut]
        yield f"{ending}: more behind the end", good + b"x" * 100
        spoilt = bytearray(good)
        spoilt[len(good) // 2] ^= 0x55
        yield f"{ending}: a byte changed", bytes(spoilt)
        layered = good
        for _ in range(5):
            layered = pack(layered)
        yield f"{ending}: six layers", layered


def _zstandard(content: bytes) -> bytes:
    import zstandard

    return zstandard.ZstdCompressor().compress(content)


def _zip(members: dict[str | zipfile.ZipInfo, bytes] | dict[str, bytes], level: int = 6) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content, zipfile.ZIP_DEFLATED, level)
    return packed.getvalue()


def _tar(members: list[tuple[str, bytes, bytes, str]]) -> bytes:
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, kind, content, link in members:
            about = tarfile.TarInfo(name)
            about.type, about.size, about.linkname = kind, len(content), link
            archive.addfile(about, io.BytesIO(content))
    return packed.getvalue()


def _leaks(place: Attempt) -> str:
    """Whether a document of the new collection holds what is in the file outside."""

    def show() -> None:
        from leadline.collections.documents.collection import Collection

        for document in Collection.open("new").documents():
            print(str(document).encode("utf-8", "replace").decode())

    if not (place.work / "new" / "manifest.json").exists():
        return ""
    shown = forked(show, place.work)
    return "the collection holds a file outside" if SECRET.encode() in shown.output else ""


def _built(base: Path, what: str, name: str, content: bytes) -> tuple[str, str]:
    with attempt(base) as place:
        (place.work / "bad").mkdir()
        (place.work / "bad" / name).write_bytes(content)
        fault = place.command(BUILD.split(), memory=6 << 30) or _leaks(place)
        if not fault and Path("/tmp/leadline-planted.xml").exists():
            fault = "wrote /tmp/leadline-planted.xml"
        return f"{what} in bad/{name}; leadline {BUILD}", fault


def attack_xml(base: Path) -> Iterator[tuple[str, str]]:
    with attempt(base) as place:
        files = [*entity_files(place.outside), *shape_files()]
    for what, content in files:
        yield _built(base, what, "x.jsonl" if what.startswith("JSON") else "x.xml", content)


def attack_archives(base: Path) -> Iterator[tuple[str, str]]:
    for what, content in zips():
        yield _built(base, what, "x.zip", content)
    for what, content in tars():
        yield _built(base, what, "x.tar", content)
        yield _built(base, f"{what}, compressed", "x.tar.gz", gzip.compress(content))
    for what, content in packed():
        ending = what.partition(":")[0]
        yield _built(base, what, f"x.jsonl.{ending}", content)


CLASSES = {"XML entities and shapes": attack_xml, "archives": attack_archives}
