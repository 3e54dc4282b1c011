"""The pages that search: of words, of patents, of collections and of documents, over one lab that is opened once."""

from __future__ import annotations

from fastapi import FastAPI

from leadline.errors import visible
from leadline.show.lab.lab import Lab
from leadline.show.lab.opened import OpenedLab
from leadline.show.lab.prior_art_searches import PriorArtSearches
from leadline.show.serve.app import Pages
from leadline.show.serve.laboratory.links import document_link, link, thing_link
from leadline.show.serve.laboratory.pages.collection import collection_view, collections_view, directory_view
from leadline.show.serve.laboratory.pages.document import document_view
from leadline.show.serve.laboratory.pages.prior_art import TEMPLATE, add_pasting, prior_art_view
from leadline.show.serve.laboratory.pages.search import search_view
from leadline.show.serve.laboratory.views import add_view

LINKS = {"link": link, "document_link": document_link, "thing_link": thing_link, "shown": visible}  # for the templates


def add_searching(app: FastAPI, pages: Pages, lab: Lab) -> None:
    """Add the pages of search, prior art, collections, documents and the directory."""
    opened = OpenedLab(lab)
    searches = PriorArtSearches(opened)
    add_view(app, pages, "/search", "search.html", search_view(opened))
    add_view(app, pages, "/prior-art", TEMPLATE, prior_art_view(opened, searches))
    add_pasting(app, pages, opened, searches)
    add_view(app, pages, "/collections", "collections.html", collections_view(opened))
    add_view(app, pages, "/collection/{name}", "collection.html", collection_view(opened))
    add_view(app, pages, "/directory/{name}", "directory.html", directory_view(opened))
    add_view(app, pages, "/document/{name}/{id:path}", "document.html", document_view(opened))
