"""Small patents for tests, in the shapes of the weekly JSON and of the Red Book."""

import io
import tarfile
import zipfile
from collections.abc import Mapping
from typing import Any

BENZYL = "O=C(NCc1ccccc1)c1ccccc1"
NAPHTHYL = "O=C(NCc1ccccc1)c1cccc2ccccc12"


def make_patent(number: str = "12000001", **said: Any) -> dict[str, Any]:
    """Return one entry of a weekly file; keyword arguments replace its fields."""
    entry: dict[str, Any] = {
        "publication": {"country": "US", "doc_number": number, "kind": "B2", "date": "20240611"},
        "application": {"country": "US", "doc_number": "17000001", "date": "20200820"},
        "ipc_classes": ["C07D401/04"],
        "cpc_classes": ["C07D401/04", "A61P35/00"],
        "applicants": ["Some Inventor Ltd"],
        "assignees": ["Some Inventor Ltd"],
        "title": "KRAS inhibitors",
        "abstract": "Compounds that inhibit the KRAS protein.",
        "related_docs": [],
        "pct_data": [],
        "external_files": [
            {"file": "C00002.CDX", "section": "description", "compounds": [NAPHTHYL, ""]},
            {"file": "C00001.CDX", "section": "claims", "compounds": [BENZYL]},
        ],
    }
    return entry | said


def numbered(number: str, kind: str = "B2", day: str = "20240611") -> dict[str, str]:
    """Return a publication block."""
    return {"country": "US", "doc_number": number, "kind": kind, "date": day}


_XML = """<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE us-patent-grant SYSTEM "us-patent-grant-v45-2014-04-03.dtd" [ ]>
<us-patent-grant lang="EN"><us-bibliographic-data-grant>
<publication-reference><document-id><country>US</country><doc-number>09000001</doc-number>
<kind>B2</kind><date>20150407</date></document-id></publication-reference>
<application-reference appl-type="utility"><document-id><country>US</country>
<doc-number>13000001</doc-number><date>20120112</date></document-id></application-reference>
<priority-claims><priority-claim sequence="01" kind="national"><country>JP</country>
<doc-number>2008-000001</doc-number><date>20080605</date></priority-claim></priority-claims>
<classifications-cpc><main-cpc><classification-cpc><section>C</section><class>07</class>
<subclass>D</subclass><main-group>401</main-group><subgroup>04</subgroup></classification-cpc>
</main-cpc></classifications-cpc>
<invention-title>Inhibitors of KRAS</invention-title>
<us-related-documents><continuation><relation><parent-doc><document-id><country>US</country>
<doc-number>12000009</doc-number><date>20081017</date></document-id><parent-grant-document>
<document-id><country>US</country><doc-number>8000009</doc-number></document-id>
</parent-grant-document></parent-doc><child-doc><document-id><country>US</country>
<doc-number>13000001</doc-number></document-id></child-doc></relation></continuation>
</us-related-documents>
<us-parties><us-applicants><us-applicant><addressbook><last-name>Doe</last-name>
<first-name>Jo</first-name></addressbook></us-applicant></us-applicants></us-parties>
<assignees><assignee><addressbook><orgname>Some &amp; Co., Ltd.</orgname></addressbook></assignee>
</assignees></us-bibliographic-data-grant>
<abstract id="abstract"><p>Compounds for KRAS.</p></abstract>
<description id="description"><heading level="1">BACKGROUND</heading>
<p>Known so far.</p><heading level="1">Example 12</heading>
<p>4-methyl-benzamide was made. <chemistry id="CHEM-US-00001" num="00001"/></p>
<heading level="1">Scheme</heading><p><chemistry id="CHEM-US-00002" num="00002"/></p></description>
<us-chemistry idref="CHEM-US-00001" cdx-file="{stem}-C00001.CDX" mol-file="{stem}-C00001.MOL"/>
<us-chemistry idref="CHEM-US-00002" cdx-file="{stem}-C00002.CDX" mol-file="{stem}-C00002.MOL"/>
<us-chemistry idref="CHEM-US-00003" cdx-file="{stem}-C00003.CDX" mol-file="{stem}-C00003.MOL"/>
<claims id="claims"><claim id="CLM-00001" num="00001"><claim-text>1. A compound
<chemistry id="CHEM-US-00003" num="00003"/></claim-text></claim></claims></us-patent-grant>
"""
STEM = "US09000001-20150407"


def make_redbook() -> str:
    """Return a document with two drawings in its description and one in its claims."""
    return _XML.replace("{stem}", STEM)


def make_zip(files: Mapping[str, bytes]) -> bytes:
    """Return a zip of the files."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return held.getvalue()


def make_tar(files: Mapping[str, bytes], links: Mapping[str, str] | None = None) -> bytes:
    """Return a tar of the files, and of links by name."""
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w") as archive:
        for name, content in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
        for name, aim in (links or {}).items():
            member = tarfile.TarInfo(name)
            member.type, member.linkname = tarfile.SYMTYPE, aim
            archive.addfile(member)
    return held.getvalue()
