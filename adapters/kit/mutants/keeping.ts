import { Effect, Option, Stream } from "effect"
import type { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { withPieces } from "../../../core/ports/HostServices.ts"
import { storing, turn, whole } from "./alteredObjects.ts"
import type { FaultsByCase } from "./Mutant.ts"

const escaped = (text: string): string => text.replaceAll(/[^A-Za-z0-9_/]/g, "\\$&")

/** Lists the keys that match a pattern made of the prefix. */
const listingLike = (patternOf: (prefix: string) => RegExp) =>
  storing((store) => ({
    list: (prefix) => Effect.map(store.list("kit/"), (all) => all.filter(({ key }) => patternOf(prefix).test(key)))
  }))

export const keepingMutants: FaultsByCase<ObjectStore> = {
  "a later PUT to the source's URL doesn't change the copy, nor does removing the source": {
    "promotes a link to the source instead of a copy": storing((store) => {
      const links = new Map<string, string>()
      return {
        promote: (from, to) => Effect.tap(store.promote(from, to), () => Effect.sync(() => links.set(to, from))),
        read: (key, range) => store.read(links.get(key) ?? key, range)
      }
    })
  },
  "a promotion during many PUTs copies exactly one of the bodies, whole": {
    "copies the two halves of an object at different moments": storing((store, sink) => ({
      promote: Effect.fnUntraced(function* (from, to) {
        const first = yield* whole(store, from)
        for (let turns = 0; turns < 20; turns++) yield* turn
        const second = yield* whole(store, from)
        const half = first.sizeBytes >> 1
        const bytes = Stream.make(first.bytes.subarray(0, half), second.bytes.subarray(half))
        yield* store.promote(from, to)
        yield* Effect.orDie(sink.receive({ ...first, key: to }, bytes))
      })
    }))
  },
  "a promotion copies the bytes of an object and everything that is known of it": {
    "promotes the bytes without their type and encoding": storing((store, sink) => ({
      promote: Effect.fnUntraced(function* (from, to) {
        const { bytes, sizeBytes } = yield* whole(store, from)
        yield* store.promote(from, to)
        const contentType = "application/octet-stream"
        yield* Effect.orDie(sink.receive({ key: to, sizeBytes, contentType }, Stream.make(bytes)))
      })
    }))
  },
  "every promotion replaces the object at the other key": {
    "doesn't replace an object by a promotion": storing((store) => ({
      promote: Effect.fnUntraced(function* (from, to) {
        const there = yield* Effect.option(whole(store, to))
        if (Option.isNone(there)) yield* store.promote(from, to)
      })
    }))
  },
  "a listing of more than a thousand objects, each promoted just before": {
    "lists no more than a page of 1,000": storing((store) => ({
      list: (prefix) => Effect.map(store.list(prefix), (all) => all.slice(0, 1000))
    }))
  },
  "a listing holds the objects below the prefix and no others": {
    "lists objects beside the prefix": storing((store) => ({
      list: Effect.fnUntraced(function* (prefix) {
        const below = yield* store.list(prefix)
        const above = yield* store.list(`${prefix.split("/").slice(0, 2).join("/")}/`)
        const beside = above.filter(({ key }) => key.startsWith(prefix.slice(0, -1)))
        return prefix.split("/").length > 4 ? beside : below
      })
    }))
  },
  "a scan gives each object below the prefix once, and those after any position in the same order": {
    "lists the object at the position once more": storing((store) => ({
      scan: (prefix, after) => Stream.filter(store.scan(prefix), ({ key }) => after === undefined || key >= after)
    })),
    "loses its position when the object at it is deleted": storing((store) => ({
      scan: (prefix, after) =>
        after === undefined ? store.scan(prefix) : Stream.dropUntil(store.scan(prefix), ({ key }) => key === after)
    }))
  },
  "a listing compares every character of its prefix, and its case": {
    "takes _ in a prefix for any character": listingLike(
      (prefix) => new RegExp(`^${escaped(prefix).replaceAll("_", ".")}`)
    )
  },
  "a new store is empty and holds nothing that another case stored": {
    "lists what an earlier case stored": storing((store) => ({
      list: (prefix) => Effect.map(store.list(prefix), (all) => [...all, { key: `${prefix}earlier`, sizeBytes: 5 }])
    }))
  },
  "a read of a range: the middle": {
    "reads one byte too few of a range": storing((store) => ({
      read: (key, range) =>
        store.read(
          key,
          range && "offset" in range && range.length !== undefined && range.length > 1
            ? { ...range, length: range.length - 1 }
            : range
        )
    }))
  },
  "a reader gets the bytes that the object had when it was opened, whatever happens to it later": {
    "reads when the stream is run, and not when it was opened": storing((store) => ({
      read: (key, range) =>
        Effect.map(store.read(key, range), (object) => ({
          ...object,
          stream: Stream.unwrap(
            Effect.map(
              Effect.orElseSucceed(store.read(key, range), () => object),
              ({ stream }) => stream
            )
          )
        }))
    }))
  },
  "pieces are the bytes of the stream and stay what they are until their taker has ended": {
    "uses the memory of a piece again while its taker still looks at it": storing((store) => ({
      read: (key, range) =>
        Effect.map(store.read(key, range), (object) => ({
          ...object,
          stream: withPieces(object.stream, (take) =>
            Stream.runForEach(object.stream, (piece) => {
              const memory = Uint8Array.from(piece)
              return Effect.andThen(Effect.forkChild(take(memory)), Effect.as(Effect.yieldNow, void memory.fill(0)))
            }).pipe(Effect.andThen(Effect.sleep("20 millis")))
          )
        }))
    }))
  },
  "many objects are removed at once, even when some of them are missing": {
    "removes the first 1,000 of many": storing((store) => ({ remove: (keys) => store.remove(keys.slice(0, 1000)) }))
  },
  "a check passes on a reachable store, empty or not, and stores nothing": {
    "leaves the object by which it checked": storing((_, sink) => ({
      check: Effect.orDie(
        sink.receive({ key: "kit/check", contentType: "text/plain", sizeBytes: 1 }, Stream.make(Uint8Array.of(0)))
      )
    }))
  },
  "the digest is that of the last PUT or the last promotion": {
    "tells the digest of the object that was replaced": storing((store) => {
      const first = new Map<string, string | undefined>()
      return {
        list: (prefix) =>
          Effect.map(store.list(prefix), (all) =>
            all.map((one) => {
              if (!first.has(one.key)) first.set(one.key, one.contentHash)
              const contentHash = first.get(one.key)
              return { ...one, ...(contentHash === undefined ? {} : { contentHash }) }
            })
          )
      }
    })
  },
  'the digest of gzip is that of the decompressed content: {"content-encoding":"gzip"}': {}
}
