/** Bodies of up to a mebibyte. */
import { declaredFiles } from "./uploads.ts"

export const mebibyte = 1024 ** 2

export const builds = "/api/v1/builds"
export const previews = "/api/v1/previews"
export const runs = "/api/v1/test-runs"

/** The JSON of an object with these fields, and with others that are JSON text already. */
export const withFields = (body: object, fields: string): string => {
  const text = JSON.stringify(body).slice(0, -1)
  return `${text}${text === "{" ? "" : ","}${fields}}`
}

const names = (count: number): string => Array.from({ length: count }, (_, n) => `"k${n}":1`).join(",")
const deep = (depth: number): string => "[".repeat(depth) + "]".repeat(depth)

const [file] = declaredFiles

/** As many files as allowed, with paths so long that the body is a mebibyte. */
export const validFiles = Array.from({ length: 1000 }, (_, n) => ({ ...file, path: `${n}/`.padEnd(820, "x") }))
export const validRecordings = Array.from({ length: 100 }, (_, n) => ({
  name: `Recording ${n}`,
  kind: "log",
  sizeBytes: 1,
  contentType: "text/plain"
}))

/** Runs with as large a status as is accepted. */
export const statuses = {
  numbers: JSON.stringify(Array(1200).fill(0)),
  "empty objects": `[${Array(1200).fill("{}").join(",")}]`,
  "a megabyte of text": `"${"a".repeat(1_000_000)}"`,
  "arrays in arrays": deep(66),
  fields: `{${names(1200)}}`
}
