/** How much of a refused body is read, so that its connection can be used again. Past this, it is closed. */
export const maxDrained = 256 * 1024

/** Whether a request has a body, so long that nobody reads all of it to refuse it. */
const hasLongBody = ({ body, headers }: Request): boolean =>
  body !== null && !(Number(headers.get("content-length") ?? Infinity) <= maxDrained)

/**
 * The answer to a request. With it, a long body that was refused ends its connection: some servers never read the rest of the body,
 * and answer no later request of that connection.
 */
export const closingAfterLongBody = (request: Request, answer: Response): Response => {
  if (answer.status >= 400 && hasLongBody(request)) answer.headers.set("connection", "close")
  return answer
}
