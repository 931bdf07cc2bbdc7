import { follow } from "../../dialect/pointer.ts"
import { asText, eachMember } from "../../dialect/search.ts"
import type { Answer } from "../../session/Exchange.ts"
import type { Call, Reservation } from "./Call.ts"

/** Whether a URL has the path or the query of another: whatever is tampered with is in one of them. */
const isMadeOf = (url: string, given: string): boolean => {
  const [path, query] = url.split("?")
  const [givenPath, givenQuery] = given.split("?")
  return path === givenPath || (query !== undefined && query === givenQuery)
}

/** What the host has given slots for so far. */
export class Reservations {
  readonly #all: Array<Reservation & { readonly arrived: Set<string> }> = []

  /** Remembers the answer to a reservation, or to a PUT. */
  learn(call: Call, { json, status }: Answer): void {
    if (call.endpoint === "put" && call.method === "PUT" && status < 300) {
      for (const one of this.#all) if (one.putUrls.includes(call.url)) one.arrived.add(call.url)
    }
    if (call.endpoint !== "builds.reserve" && call.endpoint !== "previews.reserve") return
    const profile = call.endpoint === "builds.reserve" ? "builds" : "previews"
    const [token, id] = ["/token", profile === "builds" ? "/id" : "/shareId"].map((at) =>
      asText(follow(json ?? null, at))
    )
    const putUrls = [...eachMember(json)].flatMap(({ name, value }) => (name === "putUrl" ? (asText(value) ?? []) : []))
    if (token !== undefined && id !== undefined)
      this.#all.push({ profile, call, token, id, putUrls, arrived: new Set() })
  }

  /** The one that this token or presigned URL, tampered or not, was given for. */
  find(url: string, token: unknown): Reservation | undefined {
    return this.#all.findLast((one) => one.token === token || one.putUrls.some((given) => isMadeOf(url, given)))
  }
}
