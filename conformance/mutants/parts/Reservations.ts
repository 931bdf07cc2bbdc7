import { follow } from "../../dialect/pointer.ts"
import { asText, eachMember } from "../../dialect/search.ts"
import type { Answer } from "../../session/Exchange.ts"
import type { Call, Reservation } from "./Call.ts"

type Known = Reservation & { readonly arrived: Set<string> }

/** What the host has given slots for so far. */
export class Reservations {
  readonly #byToken = new Map<unknown, Known>()
  /** By the paths and by the queries of its URLs: whatever is tampered with is in one of them. */
  readonly #byPart = new Map<string | undefined, Known>()

  /** Remembers the answer to a reservation, or to a PUT. */
  learn(call: Call, { json, status }: Answer): void {
    if (call.endpoint === "put" && call.method === "PUT" && status < 300) {
      const known = this.#byPart.get(call.url.split("?")[0])
      if (known?.putUrls.includes(call.url) === true) known.arrived.add(call.url)
    }
    if (call.endpoint !== "builds.reserve" && call.endpoint !== "previews.reserve") return
    const profile = call.endpoint === "builds.reserve" ? "builds" : "previews"
    const [token, id] = ["/token", profile === "builds" ? "/id" : "/shareId"].map((at) =>
      asText(follow(json ?? null, at))
    )
    const putUrls = [...eachMember(json)].flatMap(({ name, value }) => (name === "putUrl" ? (asText(value) ?? []) : []))
    if (token === undefined || id === undefined) return
    const known: Known = { profile, call, token, id, putUrls, arrived: new Set() }
    this.#byToken.set(token, known)
    for (const part of putUrls.flatMap((url) => url.split("?"))) this.#byPart.set(part, known)
  }

  /** The one that this token or presigned URL, tampered or not, was given for. */
  find(url: string, token: unknown): Reservation | undefined {
    const [path, query] = url.split("?")
    return this.#byToken.get(token) ?? this.#byPart.get(path) ?? this.#byPart.get(query)
  }
}
