/** Events as messages of Slack, Teams and Discord: a receiver holds each to the rules that the vendors document. */
import { assert } from "@effect/vitest"
import { DateTime, Effect, Queue, Redacted } from "effect"
import { createServer } from "node:http"
import { describe, it as plainly } from "vitest"
import { listen } from "../../adapters/postgres/testing/freePort.ts"
import { AccountId } from "../../core/model/Account.ts"
import { EventId, EventType, type SlipwayEvent, WebhookFormat } from "../../core/model/SlipwayEvent.ts"
import { chatMessage } from "../../core/rules/chatMessages.ts"
import { inMemory } from "../http/testing/engines.ts"
import { layer } from "../../core/testing/layer.ts"
import { readyPreview, registered, uploader } from "../http/testing/previews.ts"
import { TestHost } from "../http/testing/TestHost.ts"

type Json = { readonly [Field in string]?: unknown }
const json = (value: unknown): Json => Object(value)
const listOf = (value: unknown): ReadonlyArray<Json> => (Array.isArray(value) ? value : [])
const lengthOf = (value: unknown): number => (typeof value === "string" ? value.length : Infinity)
const unknownFields = (value: unknown, ...known: ReadonlyArray<string>) =>
  Object.keys(json(value)).filter((field) => !known.includes(field))

/** https://docs.slack.dev/reference/block-kit/blocks: what Slack refuses with `invalid_blocks` or `invalid_payload`. */
const slackViolations = (body: Json): ReadonlyArray<string> => {
  const found: Array<string> = unknownFields(body, "text", "blocks")
  if (lengthOf(body["text"]) < 1 || lengthOf(body["text"]) > 40_000) found.push("text")
  const blocks = listOf(body["blocks"])
  if (blocks.length === 0 || blocks.length > 50) found.push("blocks")
  for (const { elements, text, type } of blocks) {
    if (type === "header") {
      if (json(text)["type"] !== "plain_text") found.push("header type")
      if (lengthOf(json(text)["text"]) < 1 || lengthOf(json(text)["text"]) > 150) found.push("header")
    } else if (type === "section") {
      const shown = json(text)["text"]
      if (lengthOf(shown) < 1 || lengthOf(shown) > 3000) found.push("section")
      if (/[<>]/.test(String(shown)) || /&(?!(?:amp|lt|gt);)/.test(String(shown))) found.push("unescaped text")
    } else if (type === "actions") {
      if (listOf(elements).length === 0 || listOf(elements).length > 25) found.push("elements")
      for (const { text, url } of listOf(elements)) {
        if (lengthOf(json(text)["text"]) > 75) found.push("button")
        if (lengthOf(url) > 3000 || !URL.canParse(String(url))) found.push("button url")
      }
    } else found.push(`block ${String(type)}`)
  }
  return found
}

/** https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using: at most 28 KB. */
const teamsViolations = (body: Json): ReadonlyArray<string> => {
  const found: Array<string> = unknownFields(body, "type", "attachments")
  if (Buffer.byteLength(JSON.stringify(body)) > 28 * 1024) found.push("size")
  if (body["type"] !== "message") found.push("type")
  const attachments = listOf(body["attachments"])
  if (attachments.length !== 1) found.push("attachments")
  for (const { content, contentType, contentUrl } of attachments) {
    if (contentType !== "application/vnd.microsoft.card.adaptive" || contentUrl !== null) found.push("contentType")
    const { actions, body: blocks, type, version } = json(content)
    if (type !== "AdaptiveCard" || version !== "1.4") found.push("card")
    for (const one of listOf(blocks)) {
      if (one["type"] !== "TextBlock" || lengthOf(one["text"]) < 1) found.push("block")
      if (/(?<!\\)[[\]*_~<]/.test(String(one["text"]).replaceAll("\\\\", ""))) found.push("unescaped text")
    }
    for (const one of listOf(actions)) {
      if (one["type"] !== "Action.OpenUrl" || !URL.canParse(String(one["url"]))) found.push("action")
    }
  }
  return found
}

/** https://discord.com/developers/docs/resources/message#embed-object-embed-limits */
const discordViolations = (body: Json): ReadonlyArray<string> => {
  const found: Array<string> = unknownFields(body, "allowed_mentions", "embeds")
  const embeds = listOf(body["embeds"])
  if (embeds.length === 0 || embeds.length > 10) found.push("embeds")
  let characters = 0
  for (const { color, description = "", title, url } of embeds) {
    characters += lengthOf(title) + lengthOf(description)
    if (lengthOf(title) < 1 || lengthOf(title) > 256) found.push("title")
    if (lengthOf(description) > 4096) found.push("description")
    if (!Number.isInteger(color) || Number(color) > 0xffffff) found.push("color")
    if (url !== undefined && (lengthOf(url) > 2048 || !URL.canParse(String(url)))) found.push("url")
  }
  if (characters > 6000) found.push("characters")
  if (JSON.stringify(body["allowed_mentions"]) !== '{"parse":[]}') found.push("mentions")
  return found
}

const violations = { slack: slackViolations, teams: teamsViolations, discord: discordViolations }

const hostile = `<!channel> @everyone [a](https://evil.example) **b** \u{1F680}${"&<>*_~`|\\".repeat(120)}`

/** An event of each type with texts as long and as hostile as a report may have. */
const everyEvent = EventType.literals.map((type) => {
  const repository = { owner: "o".repeat(100), repo: "r".repeat(100), branch: hostile.slice(0, 1024), pr: 2 ** 31 - 1 }
  const test = { kind: "maestro", name: hostile.slice(0, 1024), file: hostile.slice(0, 1024) }
  const quarantine = { reason: hostile.slice(0, 500), owner: hostile.slice(0, 100) }
  const totals = { passed: 2e9, failed: 2e9, flaky: 2e9, quarantined: 2e9, runs: 2e9, durationMs: 2e9 }
  const more = {
    conclusion: "failed",
    source: hostile.slice(0, 1024),
    status: "failed",
    platform: "ios",
    runId: "01a1"
  }
  const data = {
    id: "01a1",
    ...repository,
    ...test,
    ...totals,
    ...more,
    quarantine,
    commitSha: "a".repeat(40),
    git: {}
  }
  const at = { id: EventId.make("01a2"), timestamp: DateTime.makeUnsafe(0), account: AccountId.make("01a3") }
  return { ...at, type, data } as unknown as SlipwayEvent
})

describe("a message for a chat", () => {
  for (const format of WebhookFormat.literals) {
    plainly(`fits the rules of ${format}, whatever the texts of the event are`, () => {
      for (const event of everyEvent) {
        const body = json(JSON.parse(JSON.stringify(chatMessage(format, event, "https://slipway.example"))))
        assert.deepStrictEqual(violations[format](body), [], event.type)
        assert.isTrue(JSON.stringify(body).isWellFormed())
      }
    })
  }
  plainly("of a failure in quarantine doesn't read as passed or broken", () => {
    for (const event of everyEvent.filter(({ type }) => type === "test.broken" || type === "run.registered")) {
      const data = { ...event.data, name: "Tide", branch: "main", quarantined: true }
      const text = JSON.stringify(
        chatMessage("slack", { ...event, data } as unknown as SlipwayEvent, "https://a.example")
      )
      assert.match(text, /quarantine/)
      assert.notMatch(text, /passed|broke/)
    }
  })
})

/** A webhook of the settings, which nobody answers: with it, a host publishes events before it has noticed others. */
const webhook = { url: "http://127.0.0.1:1/", secret: Redacted.make(`whsec_${Buffer.alloc(32, 7).toString("base64")}`) }

layer(TestHost.layer(inMemory, {}, { webhook }))("a webhook of a chat", (it) => {
  it.effect("receives its test, and of its repository and branch alone what the vendor accepts", function* () {
    const { admin } = yield* TestHost
    const account = yield* uploader
    const { shareId } = yield* readyPreview(account)
    const received = yield* Queue.unbounded<{ readonly format: WebhookFormat; readonly body: Json }>()
    const server = createServer((request, response) => {
      const chunks: Array<Buffer> = []
      request.on("data", (chunk: Buffer) => chunks.push(chunk))
      request.on("end", () => {
        const body = json(JSON.parse(Buffer.concat(chunks).toString()))
        const format = WebhookFormat.literals.find((one) => request.url === `/${one}`) ?? "slack"
        const isRefused = violations[format](body).length > 0
        Queue.offerUnsafe(received, { format, body })
        response.writeHead(isRefused ? 400 : 200).end("ok")
      })
    })
    yield* Effect.addFinalizer(() => Effect.sync(() => server.close()))
    const url = `http://127.0.0.1:${yield* Effect.promise(() => listen(server))}`
    const repository = `${account.owner}/${account.repo}`.toUpperCase()
    for (const format of WebhookFormat.literals) {
      const order = { url: `${url}/${format}`, account: account.name, types: ["test.broken"] as const, format }
      const { webhook } = yield* admin.addWebhook({ ...order, types: [...order.types], repository, branch: "main" })
      yield* admin.testWebhook({ id: webhook.id })
      const test = yield* Queue.take(received)
      assert.strictEqual(test.format, format)
      assert.include(JSON.stringify(test.body), "Slipway can reach this webhook")
    }
    yield* registered(account, shareId, { name: "Elsewhere", status: "failed", branch: "next" })
    yield* registered(account, shareId, { name: "Tide", status: "failed", branch: "main" })
    for (const _ of WebhookFormat.literals) {
      const { body, format } = yield* Queue.take(received)
      assert.deepStrictEqual(violations[format](body), [])
      assert.match(JSON.stringify(body), /Tide broke/)
    }
  })
})
