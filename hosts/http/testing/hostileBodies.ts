/** Bodies of up to a mebibyte that take long to decode or refuse unless their size is checked first. */
import { previewBody, runBody } from "./previews.ts"
import { declaredFiles, reserveBody, type Account } from "./uploads.ts"

export const mebibyte = 1024 ** 2

export const builds = "/api/v1/builds"
export const previews = "/api/v1/previews"
const finalize = "/api/v1/previews/finalize"
export const runs = "/api/v1/test-runs"
const shares = "/api/v1/previews/x/shares"

/** The JSON of an object with these fields, and with others that are JSON text already. */
export const withFields = (body: object, fields: string): string => {
  const text = JSON.stringify(body).slice(0, -1)
  return `${text}${text === "{" ? "" : ","}${fields}}`
}

/** A JSON array of one item repeated until the body is a mebibyte. */
const many = (item: string): string =>
  `[${Array(Math.floor((mebibyte - 1000) / (item.length + 1)))
    .fill(item)
    .join(",")}]`

const names = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":1`).join(",")
const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)
const deepObjects = (depth: number): string => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`
const long = (character: string): string => character.repeat(1_000_000)

const [file] = declaredFiles
const mismatch = { path: "/", sizeBytes: -1, contentType: "x", contentHash: "y" }

/** As many files as allowed, with paths so long that the body is a mebibyte. */
export const validFiles = Array.from({ length: 1000 }, (_, n) => ({ ...file, path: `${n}/`.padEnd(820, "x") }))
export const validRecordings = Array.from({ length: 100 }, (_, n) => ({
  name: `Recording ${n}`,
  kind: "log",
  sizeBytes: 1,
  contentType: "text/plain"
}))

export interface Hostile {
  readonly path: string
  readonly body: string
  /** The paths that the refusal names; none where the body has more bytes than the endpoint takes. */
  readonly issues: ReadonlyArray<string> | undefined
}

/** Invalid bodies by their content; none is larger than a mebibyte. */
export const hostileBodies = (account: Account): Record<string, Hostile> => {
  const preview = (fields: string) => withFields(previewBody(), fields)
  const build = (fields: string) => withFields(reserveBody(account), fields)
  const run = (fields: string) => withFields(runBody(account, "x"), fields)
  const longText = (field: string, character: string) => `${JSON.stringify(field)}:"${long(character)}"`
  const inPreviews = ([field, character]: readonly [string, string]) =>
    [
      `a megabyte of ${character} in ${field} of a preview`,
      { path: previews, body: preview(longText(field, character)), issues: [field] }
    ] as const
  const inRuns = ([field, character]: readonly [string, string]) =>
    [
      `a megabyte of ${character} in ${field} of a run`,
      { path: runs, body: run(longText(field, character)), issues: [field] }
    ] as const

  return {
    "empty objects for recordings": {
      path: previews,
      body: preview(`"recordings":${many("{}")}`),
      issues: ["recordings"]
    },
    "empty objects for files": { path: previews, body: preview(`"files":${many("{}")}`), issues: ["files"] },
    "empty objects for files of a build": { path: builds, body: build(`"files":${many("{}")}`), issues: ["files"] },
    "numbers for files": { path: builds, body: build(`"files":${many("0")}`), issues: ["files"] },
    "texts for files": { path: builds, body: build(`"files":${many('"a"')}`), issues: ["files"] },
    "empty arrays for files": { path: builds, body: build(`"files":${many("[]")}`), issues: ["files"] },
    "too long a list beside other mismatches": {
      path: previews,
      body: withFields({ ...previewBody(), contentHash: 5, entry: "" }, `"files":${many("{}")}`),
      issues: ["files", "contentHash", "entry"]
    },
    "a thousand files with four mismatches each": {
      path: previews,
      body: preview(`"files":${JSON.stringify(Array.from({ length: 1000 }, () => mismatch))}`),
      issues: Array.from({ length: 250 }, (_, n) => Object.keys(mismatch).map((field) => `files.${n}.${field}`)).flat()
    },
    "a thousand files with one path": {
      path: builds,
      body: build(
        `"files":${JSON.stringify(Array.from({ length: 1000 }, () => ({ ...file, path: "x".repeat(800) })))}`
      ),
      issues: Array.from({ length: 999 }, (_, n) => `files.${n + 1}.path`)
    },
    "unknown fields": { path: previews, body: preview(names(90_000)), issues: [""] },
    "unknown fields of a share link": { path: shares, body: `{${names(90_000)}}`, issues: undefined },
    "as many unknown fields of a share link as are read": {
      path: shares,
      body: `{${names(1000)}}`,
      issues: Array.from({ length: 1000 }, (_, n) => `k${n}`)
    },
    "fields in a status": { path: runs, body: run(`"status":{${names(90_000)}}`), issues: [""] },
    "arrays in arrays": { path: previews, body: deep(500_000), issues: [""] },
    "arrays in arrays for files": { path: builds, body: build(`"files":${deep(500_000)}`), issues: [""] },
    "arrays in arrays for a status": { path: runs, body: run(`"status":${deep(500_000)}`), issues: [""] },
    "arrays in arrays as deep as is read, for files": {
      path: builds,
      body: build(`"files":${deep(66)}`),
      issues: ["files.0"]
    },
    "objects in objects for a status": { path: runs, body: run(`"status":${deepObjects(170_000)}`), issues: [""] },
    "items of a list that should be an object": { path: builds, body: many("{}"), issues: [""] },
    "nothing but spaces": { path: builds, body: " ".repeat(mebibyte), issues: [""] },
    "a number with a million digits": { path: builds, body: "1".repeat(1_000_000), issues: [""] },
    "a number beyond all": {
      path: builds,
      body: build('"files":[],"bundleSizeBytes":1e400'),
      issues: ["bundleSizeBytes"]
    },
    "lone surrogates": { path: previews, body: preview(`"entry":"${"\\ud800".repeat(170_000)}"`), issues: ["entry"] },
    "one field again and again": { path: finalize, body: `{${Array(5000).fill('"a":1').join(",")}}`, issues: [""] },
    "fields of what all objects are made of": {
      path: finalize,
      body: '{"__proto__":{"token":"x"},"constructor":{"prototype":{"token":"x"}}}',
      issues: ["token"]
    },
    "a megabyte of token": { path: finalize, body: `{${longText("token", "x")}}`, issues: undefined },
    "a megabyte of token of a build": {
      path: builds,
      body: `{"operation":"finalize",${longText("token", "x")}}`,
      issues: ["token"]
    },
    "a list for the operation of a build": {
      path: builds,
      body: build(`"operation":${many("0")}`),
      issues: [""]
    },
    "a megabyte of path": {
      path: builds,
      body: build(`"files":[{"path":"${long("/")}","sizeBytes":1,"contentType":"a/b"}]`),
      issues: ["files.0.path"]
    },
    "a megabyte of name": {
      path: previews,
      body: preview(`"recordings":[{"name":"${long("x")}","kind":"log","sizeBytes":1,"contentType":"a/b"}]`),
      issues: ["recordings.0.name"]
    },
    "parameters of a content type": {
      path: previews,
      body: preview(`"bundleContentType":"a/b${";a=a".repeat(250_000)}"`),
      issues: ["bundleContentType"]
    },
    ...Object.fromEntries(
      (
        [
          ["contentHash", "0"],
          ["bundleContentType", "a"],
          ["bundleOrigin", "a"],
          ["entry", "x"],
          ["platform", "i"],
          ["owner", "/"],
          ["branch", "x"],
          ["commitSha", "0"],
          ["billingKind", "x"]
        ] as const
      ).map(inPreviews)
    ),
    ...Object.fromEntries(
      (
        [
          ["kind", "x"],
          ["name", "x"],
          ["prompt", "x"],
          ["owner", "x"],
          ["repo", "/"],
          ["previewShareId", "x"],
          ["failureMessage", "x"],
          ["source", "x"],
          ["startedAt", "x"]
        ] as const
      ).map(inRuns)
    )
  }
}

/** Runs with as large a status as is accepted. */
export const statuses = {
  numbers: JSON.stringify(Array(1200).fill(0)),
  "empty objects": `[${Array(1200).fill("{}").join(",")}]`,
  "a megabyte of text": `"${long("a")}"`,
  "arrays in arrays": deep(66),
  fields: `{${names(1200)}}`
}
