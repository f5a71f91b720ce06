"""The tools of the articles, as one writes them at first: what the database gives is what the model has to read."""

from typing import Any

from articles import Article, Articles
from fastmcp import FastMCP


def add_tools(mcp: FastMCP, articles: Articles) -> None:
    @mcp.tool
    def list_articles() -> list[Article]:
        """Lists the published articles, the newest first"""
        return articles.published()

    @mcp.tool
    def get_article(slug: str) -> Article:
        """Opens one article"""
        return articles.get(slug) or {"error": "NOT_FOUND", "slug": slug}

    @mcp.tool
    def search(query: str) -> list[Article]:
        """Finds articles whose text has the words of the query"""
        return articles.search(query)

    @mcp.tool
    def weather() -> list[dict[str, Any]]:
        """The weather of Seattle from 2012 to 2015, day by day"""
        return articles.weather()

    @mcp.tool
    def sweep() -> list[dict[str, Any]]:
        """How a trading rule did with each pair of its two parameters"""
        return articles.sweep()
