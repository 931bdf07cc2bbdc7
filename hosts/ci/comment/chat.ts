/** A message about a CI run in a channel of Slack or Microsoft Teams, by the URL of an incoming webhook. */
import { realTiming, retrying } from "../../client/retrying.ts"
import { SlipwayError } from "../../client/SlipwayError.ts"
import { type Context, ExitCode, Stopped, unusable } from "../command/Context.ts"
import type { Comparison } from "../history/comparison.ts"
import type { Settings } from "../settings/settings.ts"
import { countsText } from "./markdown.ts"
import { nameOf, type Report } from "./report.ts"

/** How many failures a message names. */
const shownFailures = 5

/** The results that a message reports. */
interface Results {
  readonly report: Report
  readonly comparison: Comparison | undefined
  readonly settings: Pick<Settings, "owner" | "repo" | "branch" | "app">
}

interface Message {
  readonly title: string
  readonly failures: ReadonlyArray<{ readonly name: string; readonly url: string }>
  readonly more: number
  readonly url: string
}

const messageOf = ({ comparison, report, settings: { app, branch, owner, repo } }: Results): Message => {
  return {
    title: `${owner}/${repo}${app === undefined ? "" : ` (${app})`}${branch === undefined ? "" : ` ${branch}`}: ${countsText(report, comparison)}`,
    failures: report.failed.slice(0, shownFailures).map(([run]) => ({ name: nameOf(run), url: run.traceUrl })),
    more: Math.max(0, report.failed.length - shownFailures),
    url: report.url
  }
}

/** https://docs.slack.dev/messaging/formatting-message-text */
const slackText = (text: string): string =>
  text
    .replace(/\s+/g, " ")
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll("|", "¦")

/** A text that Markdown gives no meaning to. */
const teamsText = (text: string): string => text.replace(/\s+/g, " ").replace(/[\\`*_[\]()#~<>]/g, "\\$&")

const chats = {
  slack: {
    variable: "SLACK_WEBHOOK_URL",
    // https://docs.slack.dev/messaging/sending-messages-using-incoming-webhooks
    body: ({ failures, more, title, url }: Message): unknown => ({
      text: [
        `<${url}|${slackText(title)}>`,
        ...failures.map(({ name, url }) => `• <${url}|${slackText(name)}>`),
        ...(more === 0 ? [] : [`and ${more} more`])
      ].join("\n"),
      unfurl_links: false
    })
  },
  teams: {
    variable: "TEAMS_WEBHOOK_URL",
    // https://learn.microsoft.com/en-us/connectors/teams/#microsoft-teams-webhook
    body: ({ failures, more, title, url }: Message): unknown => ({
      type: "message",
      attachments: [
        {
          contentType: "application/vnd.microsoft.card.adaptive",
          content: {
            type: "AdaptiveCard",
            $schema: "http://adaptivecards.io/schemas/adaptive-card.json",
            version: "1.4",
            body: [
              { type: "TextBlock", weight: "bolder", wrap: true, text: teamsText(title) },
              ...failures.map(({ name, url }) => ({
                type: "TextBlock",
                wrap: true,
                text: `- [${teamsText(name)}](${url})`
              })),
              ...(more === 0 ? [] : [{ type: "TextBlock", text: `and ${more} more` }])
            ],
            actions: [{ type: "Action.OpenUrl", title: "All runs", url }]
          }
        }
      ]
    })
  }
} as const

export const chatNames = ["slack", "teams"] as const satisfies ReadonlyArray<keyof typeof chats>

/** Where messages are sent. */
interface Channel {
  readonly name: keyof typeof chats
  readonly webhook: string
}

/** The channel whose URL a variable has. */
export const channelIn = (name: Channel["name"], env: Context["env"]): Channel => {
  const { variable } = chats[name]
  const webhook = env[variable]
  if (webhook !== undefined && URL.canParse(webhook)) return { name, webhook }
  throw unusable(`--format ${name} needs the URL of an incoming webhook in ${variable}.`)
}

/** Sends the message, and answers that it is sent, or why it is not. It is tried again only if it was certainly not accepted. */
export const sendMessage = async (
  { name, webhook }: Channel,
  results: Results,
  signal: AbortSignal
): Promise<string | Stopped> => {
  const { body, variable } = chats[name]
  const sent = {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body(messageOf(results))),
    signal
  }
  const send = async () => {
    const answer = await fetch(webhook, sent).catch((cause: unknown) => {
      signal.throwIfAborted()
      throw new SlipwayError(variable, { code: "connection_failed", detail: "the server can't be reached", cause })
    })
    const detail = (await answer.text()).slice(0, 200)
    if (!answer.ok) throw new SlipwayError(variable, { code: "refused", detail, status: answer.status })
  }
  try {
    await retrying(send, { again: "when refused", retries: 3, signal, timing: realTiming })
    return `The message is sent (${name}).`
  } catch (error) {
    if (!(error instanceof SlipwayError)) throw error
    return new Stopped(ExitCode.host, `The message isn't sent. ${error.message}`)
  }
}
