import { SlipwayError } from "./SlipwayError.ts"
import type { Problem } from "./problems.ts"
import { retryAfterMs } from "./retrying.ts"

/** An answer, read to its end. */
export interface Answer {
  readonly status: number
  readonly header: (name: string) => string | null
  readonly text: string
}

/** An answer as JSON; `undefined` when it isn't. */
const jsonOf = ({ text }: Answer): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether it has what every Problem has; the fields of a code that is newer than this client are as the service tells them. */
const isProblem = (body: unknown): body is Problem =>
  isObject(body) &&
  "code" in body &&
  typeof body.code === "string" &&
  "detail" in body &&
  typeof body.detail === "string" &&
  (!("issues" in body) || Array.isArray(body.issues))

/** Why an answer that isn't a Problem is refused. A redirect isn't followed on Node, and in a browser it isn't seen. */
const detailOf = ({ header, status, text }: Answer): string => {
  const location = status >= 300 && status < 400 ? header("location") : null
  return location === null
    ? text.slice(0, 500) || "There is no more to the answer than its status."
    : `The host redirects to ${location.slice(0, 500)}: set its final address as the URL.`
}

/** The refusal that an answer is. `now` is the time, in milliseconds, that a date in `Retry-After` is compared with. */
export const refusalOf = (request: string, answer: Answer, now: number): SlipwayError => {
  const body = jsonOf(answer)
  const fields = isProblem(body)
    ? { code: body.code, detail: body.detail, problem: body, ...("issues" in body ? { issues: body.issues } : {}) }
    : { code: "refused", detail: detailOf(answer) }
  return new SlipwayError(request, {
    ...fields,
    status: answer.status,
    requestId: answer.header("x-request-id") ?? undefined,
    retryAfterMs: retryAfterMs(answer.header("retry-after"), now)
  })
}

/** The JSON object that a success answers. */
export const objectOf = (request: string, answer: Answer): object => {
  const body = jsonOf(answer)
  if (isObject(body)) return body
  const detail = `The answer is no JSON object; it begins with ${JSON.stringify(answer.text.slice(0, 100))}.`
  throw new SlipwayError(request, { code: "answer_unreadable", detail, status: answer.status })
}
