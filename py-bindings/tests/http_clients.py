"""How real HTTP clients are asked for something, each without retries of its own.

What they raise, or return where they do not raise, is what ``rate_limit`` has to read.
"""

import asyncio
import sys
import urllib.request

import aiohttp
import anthropic
import boto3
import github
import google.api_core.exceptions
import googleapiclient.http
import httplib2
import httpx
import httpx2
import openai
import requests
import slack_sdk
import stripe
import tornado.httpclient
import urllib3
from botocore.config import Config

# Is in every place where something secret may be. No result of ``rate_limit`` contains it.
SECRET = "hush"
KEY = f"sk-{SECRET}-key"
MESSAGES = [{"role": "user", "content": "hello"}]


def ask_requests(url):
    requests.get(url).raise_for_status()


def ask_httpx(url):
    httpx.get(url).raise_for_status()


def ask_httpx2(url):
    httpx2.get(url).raise_for_status()


def ask_aiohttp(url):
    async def ask():
        async with aiohttp.ClientSession(raise_for_status=True) as session:
            await session.get(url)

    asyncio.run(ask())


def ask_tornado(url):
    async def ask():
        await tornado.httpclient.AsyncHTTPClient().fetch(url)

    asyncio.run(ask())


def ask_urllib(url):
    urllib.request.urlopen(url)


def ask_openai(url):
    client = openai.OpenAI(api_key=KEY, base_url=url, max_retries=0)
    client.chat.completions.create(model="m", messages=MESSAGES)


def ask_anthropic(url):
    client = anthropic.Anthropic(api_key=KEY, base_url=url, max_retries=0)
    client.messages.create(model="m", max_tokens=1, messages=MESSAGES)


def ask_stripe(url):
    client = stripe.StripeClient(KEY, base_addresses={"api": url.rstrip("/")}, max_network_retries=0)
    client.v1.customers.list()


def ask_boto3(url):
    config = Config(retries={"total_max_attempts": 1})
    client = boto3.client(
        "s3", endpoint_url=url, region_name="local", config=config, aws_access_key_id=KEY, aws_secret_access_key=KEY
    )
    client.list_buckets()


def ask_github(url):
    github.Github(base_url=url.rstrip("/"), retry=None).get_user("x")


def ask_google_api_core(url):
    response = requests.get(url)
    raise google.api_core.exceptions.from_http_response(response)


def ask_googleapiclient(url):
    request = googleapiclient.http.HttpRequest(httplib2.Http(), lambda response, content: content, url)
    request.execute()


def ask_slack(url):
    slack_sdk.WebClient(KEY, base_url=url).api_test()


def ask_and_raise_from(url):
    try:
        ask_requests(url)
    except requests.HTTPError as error:
        raise RuntimeError("list failed") from error


def ask_and_raise_meanwhile(url):
    try:
        ask_httpx(url)
    except httpx.HTTPStatusError:
        raise RuntimeError("list failed")  # noqa: B904


def ask_in_a_group(url):
    async def ask():
        async with asyncio.TaskGroup() as group:
            group.create_task(asyncio.to_thread(ask_httpx, url))

    asyncio.run(ask())


CLIENTS = {
    "requests without raising": requests.get,
    "requests": ask_requests,
    "httpx without raising": httpx.get,
    "httpx": ask_httpx,
    "httpx2": ask_httpx2,
    "aiohttp": ask_aiohttp,
    "tornado": ask_tornado,
    "urllib": ask_urllib,
    "urllib3": lambda url: urllib3.request("GET", url, retries=False),
    "httplib2": lambda url: httplib2.Http().request(url)[0],
    "openai": ask_openai,
    "anthropic": ask_anthropic,
    "stripe": ask_stripe,
    "boto3": ask_boto3,
    "PyGithub": ask_github,
    "google.api_core": ask_google_api_core,
    "googleapiclient": ask_googleapiclient,
    "slack_sdk": ask_slack,
    "raise from": ask_and_raise_from,
    "raise while handling": ask_and_raise_meanwhile,
    "task group": ask_in_a_group,
}

# Clients that add a path to the address they get, and those that take no user and password in it.
ADD_PATH = ("openai", "anthropic", "stripe", "boto3", "PyGithub", "slack_sdk")
NO_USER = ("aiohttp", "tornado", "urllib", "urllib3", "httplib2", "googleapiclient")


def address_for(name, url):
    """The address of a server as a client is given it: with all the secrets that the client takes there."""
    if name in ADD_PATH:
        return url
    user = "" if name in NO_USER else f"{SECRET}-user:{SECRET}-word@"
    return f"{url.replace('//', f'//{user}', 1)}?api_key={SECRET}-query#{SECRET}-fragment"


def chained(error):
    """What a program makes of an error, with secrets in what is within."""
    within = ValueError(f"for {SECRET}-cause")
    within.__cause__ = error
    outer = RuntimeError("list failed")
    outer.__cause__ = within
    return outer


def grouped(error):
    """The same with a group."""
    if sys.version_info < (3, 11):
        outer = RuntimeError("list failed")
        outer.exceptions = [ValueError(f"for {SECRET}-member"), error]
        return outer
    return ExceptionGroup("list failed", [ValueError(f"for {SECRET}-member"), error])  # noqa: F821
