/** Events as messages of chats. Texts of tests are data: they are escaped, so that none becomes a link, a mention or a command. */
import type { SlipwayEvent, WebhookFormat } from "../model/SlipwayEvent.ts"

/** A text of at most so many characters (UTF-16 code units), cut with a mark. */
const cut = (text: string, most: number): string =>
  text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`

/** What a message says: a title, lines below it, and the page to open. */
interface Message {
  readonly title: string
  readonly lines: ReadonlyArray<string>
  readonly path?: string | undefined
  readonly tone: "good" | "bad" | "neutral"
}

/** How long a name or a reason may be in a message: several fit into the smallest limit of the vendors. */
const maxOfName = 200

const nameOf = ({ name, prompt }: { readonly name?: string | undefined; readonly prompt?: string | undefined }) =>
  cut((name ?? prompt ?? "A test").replaceAll(/\s+/g, " "), maxOfName)

const shortly = (text: string): string => cut(text.replaceAll(/\s+/g, " "), maxOfName)

const placeOf = ({
  branch,
  commitSha,
  owner,
  pr,
  repo
}: {
  readonly owner: string
  readonly repo: string
  readonly branch?: string | undefined
  readonly commitSha?: string | undefined
  readonly pr?: number | undefined
}): string =>
  [
    shortly(`${owner}/${repo}`),
    ...(branch === undefined ? [] : [shortly(branch)]),
    ...(commitSha === undefined ? [] : [commitSha.slice(0, 10)]),
    ...(pr === undefined ? [] : [`#${pr}`])
  ].join(" · ")

const messageOf = (event: SlipwayEvent): Message => {
  switch (event.type) {
    case "test.broken":
      return {
        title:
          event.data.quarantined === true
            ? `${nameOf(event.data)} failed in quarantine`
            : `${nameOf(event.data)} broke`,
        lines: [placeOf(event.data)],
        path: `/runs/${event.data.runId}`,
        tone: event.data.quarantined === true ? "neutral" : "bad"
      }
    case "test.fixed":
      return {
        title: `${nameOf(event.data)} is fixed`,
        lines: [placeOf(event.data)],
        path: `/runs/${event.data.runId}`,
        tone: "good"
      }
    case "test.flaky":
      return {
        title: `${nameOf(event.data)} is flaky`,
        lines: [placeOf(event.data)],
        path: `/tests/${event.data.id}`,
        tone: "neutral"
      }
    case "quarantine.expired":
    case "quarantine.recovered": {
      const { owner, reason } = event.data.quarantine
      return {
        title:
          event.type === "quarantine.expired"
            ? `The quarantine of ${nameOf(event.data)} ended`
            : `${nameOf(event.data)} passed ten times in a row in quarantine`,
        lines: [placeOf(event.data), shortly(reason), ...(owner === undefined ? [] : [`Owner: ${shortly(owner)}`])],
        path: `/tests/${event.data.id}`,
        tone: "neutral"
      }
    }
    case "ci_run.finished": {
      const { conclusion, failed, flaky, owner, passed, quarantined, repo, source } = event.data
      return {
        title: `CI run ${conclusion}${quarantined === 0 ? "" : `, ${quarantined} quarantined`}`,
        lines: [
          placeOf(event.data),
          `${failed} failed, ${quarantined === 0 ? "" : `${quarantined} quarantined, `}${flaky} flaky, ${passed} passed`
        ],
        path: source && `/sources?${new URLSearchParams({ owner, repo, source })}`,
        tone: conclusion === "failed" ? "bad" : conclusion === "passed" && quarantined === 0 ? "good" : "neutral"
      }
    }
    case "run.registered":
      return {
        title: `${nameOf(event.data)}: ${event.data.status === "passed" ? "passed" : "failed"}${event.data.quarantined === true ? ", quarantined" : ""}`,
        lines: [placeOf(event.data)],
        path: `/runs/${event.data.id}`,
        tone: event.data.status === "passed" ? "good" : event.data.quarantined === true ? "neutral" : "bad"
      }
    case "build.ready":
      return {
        title: `A build for ${event.data.platform} is ready`,
        lines: [placeOf(event.data)],
        path: `/builds/${event.data.id}`,
        tone: "neutral"
      }
    case "preview.hosted":
      return { title: "A preview is hosted", lines: [], path: `/previews/${event.data.id}`, tone: "neutral" }
    case "webhook.test":
      return { title: "Slipway can reach this webhook", lines: [], path: "/", tone: "good" }
    default:
      return { title: event.type, lines: [event.data.id], tone: "neutral" }
  }
}

/** Slack's three control characters. @see https://docs.slack.dev/messaging/formatting-message-text */
const forSlack = (text: string): string =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll(/[*_~`]/g, "\u200B$&")

/** A message for a Slack incoming webhook: header at most 150 characters, section at most 3,000, at most 50 blocks. */
const slack = ({ lines, title }: Message, url: string | undefined) => ({
  text: forSlack(cut(title, 1000)),
  blocks: [
    { type: "header", text: { type: "plain_text", text: cut(title, 150), emoji: false } },
    ...(lines.length === 0
      ? []
      : [
          { type: "section", text: { type: "mrkdwn", text: cut(lines.map(forSlack).join("\n"), 3000), verbatim: true } }
        ]),
    ...(url === undefined || url.length > 3000
      ? []
      : [
          {
            type: "actions",
            elements: [{ type: "button", text: { type: "plain_text", text: "Open in Slipway", emoji: false }, url }]
          }
        ])
  ]
})

/** Markdown of Teams and Discord. */
const withoutMarkdown = (text: string): string => text.replaceAll(/[\\`*_{}[\]()#+!|<>~@-]/g, "\\$&")

const colors = { good: "Good", bad: "Attention", neutral: "Default" } as const

/** A message for a Teams workflow: an Adaptive Card, at most 28 KB. */
const teams = ({ lines, title, tone }: Message, url: string | undefined) => ({
  type: "message",
  attachments: [
    {
      contentType: "application/vnd.microsoft.card.adaptive",
      contentUrl: null,
      content: {
        $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
        type: "AdaptiveCard",
        version: "1.4",
        body: [
          {
            type: "TextBlock",
            text: withoutMarkdown(cut(title, 500)),
            weight: "Bolder",
            size: "Medium",
            color: colors[tone],
            wrap: true
          },
          ...lines.map((line) => ({ type: "TextBlock", text: withoutMarkdown(cut(line, 1000)), wrap: true }))
        ],
        actions:
          url === undefined || url.length > 3000 ? [] : [{ type: "Action.OpenUrl", title: "Open in Slipway", url }]
      }
    }
  ]
})

const embedColors = { good: 0x2e7d32, bad: 0xc62828, neutral: 0x757575 } as const

/** A message for a Discord webhook: an embed with a title of at most 256 characters, and a description of at most 4,096. */
const discord = ({ lines, title, tone }: Message, url: string | undefined) => ({
  allowed_mentions: { parse: [] },
  embeds: [
    {
      title: cut(withoutMarkdown(title), 256),
      color: embedColors[tone],
      ...(lines.length === 0 ? {} : { description: cut(lines.map(withoutMarkdown).join("\n"), 4096) }),
      ...(url === undefined || url.length > 2048 ? {} : { url })
    }
  ]
})

/** The body of the request that posts an event to a chat. `viewerUrl` is where the pages are. */
export const chatMessage = (format: WebhookFormat, event: SlipwayEvent, viewerUrl: string): object => {
  const message = messageOf(event)
  const url = message.path === undefined ? undefined : viewerUrl + message.path
  return { slack, teams, discord }[format](message, url)
}
