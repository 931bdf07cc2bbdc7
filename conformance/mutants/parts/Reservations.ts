import { follow } from "../../dialect/pointer.ts"
import { asText, places } from "../../dialect/search.ts"
import type { Answer } from "../../session/Exchange.ts"
import type { Call, Reservation } from "./Call.ts"

/** What all presigned URLs of a reservation have in common: the path without the name of the object. */
const prefixOf = (url: string): string | undefined => /^[^?]*\/uploads\/[^/]+\//.exec(url)?.[0]

/** What the host has given slots for so far. */
export class Reservations {
  readonly #all: Array<Reservation> = []

  /** Remembers the answer to a reservation. */
  learn(call: Call, { json }: Answer): void {
    if (call.endpoint !== "builds.reserve" && call.endpoint !== "previews.reserve") return
    const profile = call.endpoint === "builds.reserve" ? "builds" : "previews"
    const [token, id] = ["/token", profile === "builds" ? "/id" : "/shareId"].map((at) =>
      asText(follow(json ?? null, at))
    )
    const putUrls = [...places(json)].flatMap(({ name, value }) => (name === "putUrl" ? (asText(value) ?? []) : []))
    if (token !== undefined && id !== undefined) this.#all.push({ profile, call, token, id, putUrls })
  }

  /** The one that this token or presigned URL, tampered or not, was given for. */
  find(url: string, token: unknown): Reservation | undefined {
    const prefix = prefixOf(url)
    return this.#all.findLast(
      (one) =>
        one.token === token || (prefix !== undefined && one.putUrls.some((putUrl) => prefixOf(putUrl) === prefix))
    )
  }
}
