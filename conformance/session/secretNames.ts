/** Whether the value of this JSON name is a secret. */
export const isSecretName = (name: string): boolean =>
  /token|secret|password|credential|signature|api_?key|authorization|cookie/i.test(name)

/** URL parameters of the interface, whose values the suite itself writes. @see docs/interface.md#4.4, #4.10 */
const shown = ["owner", "repo", "branch", "platform", "org", "kind", "status", "source", "pr", "limit"]

/**
 * Whether the value of a parameter may be kept: parameters of the interface, `cursor`, and the numbers and times by
 * which a presigned URL states its lifetime or the length of its body.
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
