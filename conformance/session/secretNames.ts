/** Whether what lies under this name in JSON is a secret. */
export const isSecretName = (name: string): boolean =>
  /token|secret|password|credential|signature|api_?key|authorization|cookie/i.test(name)

/** Parameters of a URL that the interface shows: their values are written by the suite itself. @see docs/interface.md#4.4, #4.10 */
const shown = ["owner", "repo", "branch", "platform", "org", "kind", "status", "source", "pr", "limit"]

/**
 * Whether the value of a parameter may be kept: what the interface shows, `cursor`, and numbers and times of which a
 * presigned URL says how long it lives or how long its body is.
 */
export const isPlainParameter = (name: string, value: string, cursor: string): boolean =>
  shown.includes(name) ||
  name === cursor ||
  (/expire|date|until|length|size/i.test(name) && /^(?:\d{1,14}|\d{8}T\d{6}Z)$/.test(value))

/** Headers that a report keeps, in lower case. */
export const keptHeaders = {
  request: ["content-type"],
  answer: ["content-type", "content-length", "location", "allow", "retry-after", "www-authenticate", "x-request-id"]
}
