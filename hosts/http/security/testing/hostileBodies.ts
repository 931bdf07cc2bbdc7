/** Bodies of at most 1 MiB that are expensive for a careless reader. Each is sent as it is. */
import { previewBody, runBody } from "../../testing/previews.ts"
import { declaredFiles, reserveBody } from "../../testing/uploads.ts"
import type { Holdings } from "./holdings.ts"

/** A megabyte minus the size of the rest of a body. */
const maxBytes = 2 ** 20 - 4096

/** A text repeated up to the size of the largest body. */
const filled = (text: string, bytes = maxBytes): string => text.repeat(Math.floor(bytes / text.length))

const listOf = (item: string): string => `[${filled(`${item},`)}${item}]`

/** JSON values of a megabyte. */
export const hugeValues: Readonly<Record<string, string>> = {
  "a list of a number each other byte": listOf("1"),
  "a list of empty objects": listOf("{}"),
  "a list of empty texts": listOf('""'),
  "a list of nulls": listOf("null"),
  "a list of lists": listOf("[[]]"),
  "lists in lists": "[".repeat(maxBytes / 2) + "]".repeat(maxBytes / 2),
  "objects in objects": `${'{"a":'.repeat(170_000)}1${"}".repeat(170_000)}`,
  "an object of many fields": `{${Array.from({ length: 70_000 }, (_, index) => `"k${index}":${index % 10}`).join(",")}}`,
  "an object of one field many times": `{${filled('"a":1,')}"a":1}`,
  "a text": `"${filled("x")}"`,
  "a text of escapes": `"${filled("\\u0041")}"`,
  "a text of lone surrogates": `"${filled("\\ud800")}"`,
  "a text of control characters": `"${filled("\\u0000")}"`,
  "a text of combining marks": `"${filled("\u0301", maxBytes / 2)}"`,
  "a text of slashes": `"${filled("/a")}"`,
  "a text like a type": `"a/b${filled("; a=a")}"`,
  "a text like a URL": `"https://a/${filled("%2e/")}"`,
  "a number of a million digits": filled("9")
}

/** A valid body in which one field is another JSON text. */
const withField = (body: Readonly<Record<string, unknown>>, field: string, json: string): string => {
  const { [field]: _, ...rest } = body
  const text = JSON.stringify(rest)
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}${JSON.stringify(field)}:${json}}`
}

const files = (count: number, file: (index: number) => unknown): string =>
  JSON.stringify(Array.from({ length: count }, (_, index) => file(index)))

const small = (index: number) => ({ path: `f${index}`, sizeBytes: 1, contentType: "a/b" })

/** Lists of files or recordings of up to a megabyte, whose items are valid or nearly valid. */
const hugeLists: Readonly<Record<string, string>> = {
  "18,000 files that fit": files(18_000, small),
  "18,000 files at one path": files(18_000, () => small(0)),
  "25,000 files without a type": files(25_000, (index) => ({ path: `f${index}`, sizeBytes: 1 })),
  "1,000 files with the longest paths": files(1000, (index) => ({
    ...small(index),
    path: `${index}/${"a/".repeat(470)}a`
  })),
  "2,500 files of the longest types": files(2500, (index) => ({
    ...small(index),
    contentType: `a/b${"; a=a".repeat(50)}`
  })),
  "files with everything wrong": files(15_000, () => ({ path: 1, sizeBytes: "a", contentType: "", contentHash: 1 }))
}

interface HostileBody {
  readonly name: string
  /** The path in the API to which it is sent. */
  readonly path: string
  readonly body: () => string
}

/** Every hostile body for the endpoints of the API, for an account that has one of everything. */
export const hostileBodies = ({ key, openBuild, owner, preview, repo, runs }: Holdings): ReadonlyArray<HostileBody> => {
  const account = { owner, repo, key }
  const targets = [
    {
      path: "/api/v1/builds",
      body: reserveBody(account, { files: declaredFiles }),
      fields: [
        "owner",
        "platform",
        "bundleContentType",
        "bundleOrigin",
        "bundleSizeBytes",
        "files",
        "deviceSpec",
        "replayCheck",
        "operation",
        "unknown"
      ],
      lists: ["files"]
    },
    {
      path: "/api/v1/builds",
      body: { operation: "finalize", token: openBuild.token },
      fields: ["token", "unknown"],
      lists: []
    },
    {
      path: "/api/v1/previews",
      body: previewBody(),
      fields: ["files", "recordings", "billingKind"],
      lists: ["files", "recordings"]
    },
    { path: "/api/v1/previews/finalize", body: {}, fields: ["token", "unknown"], lists: [] },
    {
      path: "/api/v1/test-runs",
      body: runBody(account, preview.shareId),
      fields: ["status", "prompt", "failureMessage", "previewShareId", "startedAt"],
      lists: []
    },
    {
      path: `/api/v1/previews/${preview.shareId}/shares`,
      body: {},
      fields: ["expiresInSeconds", "unknown"],
      lists: []
    },
    { path: `/api/v1/test-runs/${runs.failed}/shares`, body: {}, fields: ["expiresInSeconds"], lists: [] }
  ]
  return targets.flatMap(({ body, fields, lists, path }) => [
    ...Object.entries(hugeValues).map(([name, json]) => ({
      name: `${name}, as the whole body`,
      path,
      body: () => json
    })),
    ...fields.flatMap((field) =>
      Object.entries(hugeValues).map(([name, json]) => ({
        name: `${name}, as ${field}`,
        path,
        body: () => withField(body, field, json)
      }))
    ),
    ...lists.flatMap((field) =>
      Object.entries(hugeLists).map(([name, json]) => ({
        name: `${name}, as ${field}`,
        path,
        body: () => withField(body, field, json)
      }))
    ),
    { name: "blanks", path, body: () => filled(" ") },
    { name: "what is no JSON", path, body: () => filled("}") },
    { name: "an unfinished text", path, body: () => `"${filled("x")}` }
  ])
}

/** Bodies of forms. */
export const hostileForms: Readonly<Record<string, string>> = {
  ampersands: filled("&"),
  "fields without a name": filled("=&"),
  "many fields": filled("a=1&"),
  "one field many times": filled("key=a&"),
  "a long value": `key=${filled("x")}`,
  "a value of escapes": `key=${filled("%41")}`,
  "a value of broken escapes": `key=${filled("%")}`,
  "a value of pluses": `key=${filled("+")}`,
  "a long name": filled("x"),
  brackets: `${filled("a[")}=1`,
  "a value of slashes": `key=a&to=/${filled("/")}`
}
