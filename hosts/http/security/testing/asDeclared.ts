/** Answers to any request, held to the host's OpenAPI document. */
import { Effect } from "effect"
import { declaredResponses } from "../../testing/declaredResponses.ts"
import { isServersOwn, safelyDecoded } from "./sound.ts"
import { send, wire, type WireResponse, type WireRequest } from "./wire.ts"

const isOfApi = ({ target }: WireRequest): boolean => /^\/+api\//i.test(safelyDecoded(target))

/**
 * What of an answer the document of the host at `url` does not declare; nothing if it is as declared. What the document has no
 * operation for is refused below `/api`, and is a page's elsewhere. `HEAD` and `OPTIONS`, which it leaves out, may be answered.
 */
export const asDeclared = (url: string) =>
  Effect.map(send(url, wire("GET", "/openapi.json")), ({ text }) => {
    const declared = declaredResponses(JSON.parse(text))
    return (asked: WireRequest, answer: WireResponse): ReadonlyArray<string> => {
      if (isServersOwn(answer)) return []
      const operation = declared.operationOf(asked.method, asked.target)
      if (operation !== undefined) {
        const header = (name: string) => answer.headers[name]?.toString()
        return declared.mismatches(operation, { status: answer.status, header, text: answer.text })
      }
      const isLeftOut = asked.method === "HEAD" || asked.method === "OPTIONS"
      return isOfApi(asked) && answer.status < 400 && !isLeftOut ? ["no operation of the document was accepted"] : []
    }
  })
