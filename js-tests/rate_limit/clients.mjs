// How real HTTP clients are asked for something, each without retries of its own. What they throw,
// or return where they do not throw, is what `rateLimit` has to read.

import { S3Client, ListBucketsCommand } from "@aws-sdk/client-s3";
import Anthropic from "@anthropic-ai/sdk";
import { Client as Notion } from "@notionhq/client";
import { request as octokit } from "@octokit/request";
import { WebClient as Slack } from "@slack/web-api";
import axios from "axios";
import { Gaxios } from "gaxios";
import got from "got";
import ky from "ky";
import needle from "needle";
import nodeFetch from "node-fetch";
import OpenAI from "openai";
import Stripe from "stripe";
import superagent from "superagent";
import { Client, interceptors, request as undici } from "undici";

/** Is in every place where something secret may be. No result of `rateLimit` contains it. */
export const SECRET = "hush";
const apiKey = `sk-${SECRET}-key`;
const messages = [{ role: "user", content: "hello" }];

/** Each takes the address of a server and asks it once. */
export const clients = {
  fetch: (url) => fetch(url),
  "node-fetch": (url) => nodeFetch(url),
  axios: (url) => axios.get(url),
  got: (url) => got(url, { retry: { limit: 0 } }),
  ky: (url) => ky(url, { retry: 0 }),
  gaxios: (url) => new Gaxios().request({ url, retry: false }),
  superagent: (url) => superagent.get(url),
  needle: (url) => needle("get", url),
  undici: (url) => undici(url),
  "undici with responseError": (url) =>
    new Client(url).compose(interceptors.responseError()).request({ path: "/", method: "GET" }),
  openai: (url) =>
    new OpenAI({ apiKey, baseURL: url, maxRetries: 0 }).chat.completions.create({ model: "m", messages }),
  "@anthropic-ai/sdk": (url) =>
    new Anthropic({ apiKey, baseURL: url, maxRetries: 0 }).messages.create({ model: "m", max_tokens: 1, messages }),
  "@octokit/request": (url) => octokit("GET /", { baseUrl: url.replace(/\/$/, "") }),
  stripe: (url) => {
    const { hostname, port } = new URL(url);
    const stripe = new Stripe(apiKey, { host: hostname, port, protocol: "http", maxNetworkRetries: 0 });
    return stripe.customers.list();
  },
  "@slack/web-api": (url) => new Slack(apiKey, { slackApiUrl: url, rejectRateLimitedCalls: true }).api.test(),
  "@notionhq/client": (url) =>
    new Notion({ auth: apiKey, baseUrl: url.replace(/\/$/, ""), retry: false, logger() {} }).users.list({}),
  "@aws-sdk/client-s3": (url) =>
    new S3Client({
      endpoint: url,
      region: "local",
      forcePathStyle: true,
      maxAttempts: 1,
      credentials: { accessKeyId: apiKey, secretAccessKey: apiKey },
    }).send(new ListBucketsCommand({})),
  "a cause": async (url) => {
    try {
      await axios.get(url);
    } catch (cause) {
      throw new Error("list failed", { cause });
    }
  },
  "Promise.any": (url) => Promise.any([axios.get(url), got(url, { retry: { limit: 0 } })]),
};

/** Clients that take no user and password in an address, and those that add a path to the address they get. */
const NO_USER = ["fetch", "node-fetch", "ky", "gaxios"];
const ADD_PATH = [
  "undici with responseError",
  "openai",
  "@anthropic-ai/sdk",
  "@octokit/request",
  "stripe",
  "@slack/web-api",
  "@notionhq/client",
  "@aws-sdk/client-s3",
];

/** The address of a server as a client is given it: with all the secrets that the client takes there. */
export function addressFor(name, url) {
  if (ADD_PATH.includes(name)) return url;
  const address = new URL(`?api_key=${SECRET}-query#${SECRET}-fragment`, url);
  if (!NO_USER.includes(name)) [address.username, address.password] = [`${SECRET}-user`, `${SECRET}-word`];
  return address.href;
}

/** The headers and the body of a 429 with secrets. */
export const HEADERS = {
  "content-type": "application/json",
  "x-request-id": `${SECRET}-header`,
  "set-cookie": `a=${SECRET}-cookie`,
};
export const BODY = JSON.stringify({
  error: {
    message: `rate limited for ${SECRET}-body`,
    type: "rate_limit_error",
    code: "rate_limit_exceeded",
    detail: `${SECRET}-detail`,
  },
});

/** What a program makes of an error: a chain of causes, and a group, with secrets in what is within. */
export const wrappings = {
  chained: (error) => new Error("list failed", { cause: new Error(`for ${SECRET}-cause`, { cause: error }) }),
  grouped: (error) => new AggregateError([new Error(`for ${SECRET}-member`), error], "list failed"),
};
