import { Effect, Option, Stream } from "effect"
import { Unavailable } from "../../../core/model/Problem.ts"
import type { ObjectStore, OpenObject } from "../../../core/ports/ObjectStore.ts"
import { decompressionBudget } from "../../../core/service/decompressionBudget.ts"
import { passingDigest } from "../../../core/service/passingDigest.ts"
import { isObjectKey } from "../../../core/model/ObjectKey.ts"
import { altered, receiving, storing, turn, whole } from "./alteredObjects.ts"
import type { Mutant } from "./Mutant.ts"

export const keepingMutants: ReadonlyArray<Mutant<ObjectStore>> = [
  {
    fault: "promotes a link to the source in place of a copy",
    caughtBy: "a later PUT to the source's URL doesn't change the copy, nor does removing the source",
    adapter: storing((store) => {
      const links = new Map<string, string>()
      return {
        promote: (from, to) => Effect.tap(store.promote(from, to), () => Effect.sync(() => links.set(to, from))),
        read: (key, range) => store.read(links.get(key) ?? key, range)
      }
    })
  },
  {
    fault: "promotes what it promoted of that source before",
    caughtBy: "a promotion copies the source as it is at that moment",
    adapter: storing((store) => {
      const copies = new Map<string, string>()
      return {
        promote: (from, to) =>
          Effect.suspend(() => {
            const copy = copies.get(from)
            copies.set(from, copy ?? to)
            return store.promote(copy ?? from, to)
          })
      }
    })
  },
  {
    fault: "promotes in two steps, the halves of what is there at each",
    caughtBy: "a promotion during many PUTs copies exactly one of the bodies, whole",
    adapter: altered((store, sink) => ({
      store: {
        ...store,
        promote: Effect.fnUntraced(function* (from, to) {
          const first = yield* whole(store, from)
          for (let turns = 0; turns < 20; turns++) yield* turn
          const second = yield* whole(store, from)
          const half = first.sizeBytes >> 1
          const bytes = Stream.make(first.bytes.subarray(0, half), second.bytes.subarray(half))
          yield* store.promote(from, to)
          yield* Effect.orDie(sink.receive({ ...first, key: to }, bytes))
        })
      }
    }))
  },
  {
    fault: "promotes the bytes without their type and encoding",
    caughtBy: "a promotion copies the bytes of an object and everything that is known of it",
    adapter: altered((store, sink) => ({
      store: {
        ...store,
        promote: Effect.fnUntraced(function* (from, to) {
          const { bytes, sizeBytes } = yield* whole(store, from)
          yield* store.promote(from, to)
          const contentType = "application/octet-stream"
          yield* Effect.orDie(sink.receive({ key: to, sizeBytes, contentType }, Stream.make(bytes)))
        })
      }
    }))
  },
  {
    fault: "promotes what isn't there",
    caughtBy: "the promotion of a missing object leaves the other key unchanged",
    adapter: storing((store) => ({
      promote: (from, to) =>
        Effect.catchTag(store.promote(from, to), "ObjectMissing", (missing) =>
          Effect.andThen(store.remove([to]), isObjectKey(from) ? Effect.void : Effect.fail(missing))
        )
    }))
  },
  {
    fault: "doesn't promote over what is there",
    caughtBy: "every promotion replaces the object at the other key",
    adapter: storing((store) => ({
      promote: Effect.fnUntraced(function* (from, to) {
        const there = yield* Effect.option(whole(store, to))
        if (Option.isNone(there)) yield* store.promote(from, to)
      })
    }))
  },
  {
    fault: "lists no more than a page of 1,000",
    caughtBy: "a listing of more than a thousand objects, each promoted just before",
    adapter: storing((store) => ({ list: (prefix) => Effect.map(store.list(prefix), (all) => all.slice(0, 1000)) }))
  },
  {
    fault: "lists what was there a moment ago",
    caughtBy: "a promotion copies the bytes of an object and everything that is known of it",
    adapter: storing((store) => {
      let late = ""
      return {
        promote: (from, to) => Effect.tap(store.promote(from, to), () => Effect.sync(() => (late = to))),
        list: (prefix) => Effect.map(store.list(prefix), (all) => all.filter(({ key }) => key !== late))
      }
    })
  },
  {
    fault: "lists what lies beside the prefix",
    caughtBy: "a listing holds the objects below the prefix and no others",
    adapter: storing((store) => ({
      list: Effect.fnUntraced(function* (prefix) {
        const below = yield* store.list(prefix)
        const above = yield* store.list(`${prefix.split("/").slice(0, 2).join("/")}/`)
        const beside = above.filter(({ key }) => key.startsWith(prefix.slice(0, -1)))
        return prefix.split("/").length > 4 ? beside : below
      })
    }))
  },
  {
    fault: "lists what an earlier case stored",
    caughtBy: "a new store is empty and holds nothing that another case stored",
    adapter: storing((store) => ({
      promote: (from, to) => Effect.tap(store.promote(from, to), () => Effect.sync(() => earlier.add(to))),
      list: (prefix) =>
        Effect.map(store.list(prefix), (all) =>
          prefix === "kit/" ? [...all, ...Array.from(earlier, (key) => ({ key, sizeBytes: 5 }))] : all
        )
    }))
  },
  {
    fault: "reads one byte too few of a range",
    caughtBy: "a read of a range: the middle",
    adapter: storing((store) => ({
      read: (key, range) =>
        store.read(
          key,
          range && "offset" in range && range.length !== undefined && range.length > 1
            ? { ...range, length: range.length - 1 }
            : range
        )
    }))
  },
  {
    fault: "refuses a range that is longer than the object",
    caughtBy: "a read of a range: past the end, cut",
    adapter: storing((store) => ({
      read: Effect.fnUntraced(function* (key, range) {
        const object = yield* store.read(key, range)
        const end = range && "offset" in range ? range.offset + (range.length ?? 0) : 0
        return end > object.sizeBytes ? yield* store.read(key, { offset: object.sizeBytes }) : object
      })
    }))
  },
  {
    fault: "answers no bytes for a range that lies outside",
    caughtBy: "a read of a range with no byte of the object",
    adapter: storing((store) => ({
      read: (key, range) =>
        Effect.catchTag(store.read(key, range), "RangeNotSatisfiable", () =>
          Effect.map(Effect.catchTag(store.read(key), "RangeNotSatisfiable", Effect.die), (object): OpenObject => ({
            ...object,
            offset: object.sizeBytes,
            length: 0,
            stream: Stream.empty
          }))
        )
    }))
  },
  {
    fault: "reads when the stream is run, and not when it was opened",
    caughtBy: "a reader gets the bytes that the object had when it was opened, whatever happens to it later",
    adapter: storing((store) => ({
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
  {
    fault: "finds objects without regard to case",
    caughtBy: "keys of every legal character name different objects",
    adapter: storing((store) => ({
      read: Effect.fnUntraced(function* (key, range) {
        const all = yield* store.list(key.replace(/[^/]*$/, "") || "/")
        const found = all.find((one) => one.key.toLowerCase() === key.toLowerCase())
        return yield* store.read(found?.key ?? key, range)
      })
    }))
  },
  {
    fault: "fails to remove what isn't there",
    caughtBy: "many objects are removed at once, even when some of them are missing",
    adapter: storing((store) => ({
      remove: (keys) =>
        Effect.forEach(keys, (key) => Effect.andThen(Effect.orDie(whole(store, key)), store.remove([key])), {
          discard: true
        })
    }))
  },
  {
    fault: "removes the first 1,000 of many",
    caughtBy: "many objects are removed at once, even when some of them are missing",
    adapter: storing((store) => ({ remove: (keys) => store.remove(keys.slice(0, 1000)) }))
  },
  {
    fault: "removes what lies below a key as well",
    caughtBy: "many objects are removed at once, even when some of them are missing",
    adapter: storing((store) => ({
      remove: Effect.fnUntraced(function* (keys) {
        yield* store.remove(keys)
        for (const key of keys.filter(isObjectKey)) {
          yield* store.remove((yield* store.list(`${key}/`)).map((below) => below.key))
        }
      })
    }))
  },
  {
    fault: "can be reached only once it has objects",
    caughtBy: "a check passes on a reachable store, empty or not, and stores nothing",
    adapter: storing((store) => ({
      check: Effect.flatMap(store.list("kit/"), (all) =>
        all.length > 0 ? Effect.void : Effect.fail(Unavailable.answer)
      )
    }))
  },
  {
    fault: "leaves the object by which it checked",
    caughtBy: "a check passes on a reachable store, empty or not, and stores nothing",
    adapter: altered((store, sink) => ({
      store: {
        ...store,
        check: Effect.orDie(
          sink.receive({ key: "kit/check", contentType: "text/plain", sizeBytes: 1 }, Stream.make(Uint8Array.of(0)))
        )
      }
    }))
  },
  {
    fault: "tells the digest of what was there before",
    caughtBy: "the digest is that of the last PUT or the last promotion",
    adapter: storing((store) => {
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
  {
    fault: "tells the digest of the compressed bytes",
    caughtBy: 'the digest of gzip is that of the decompressed content: {"content-encoding":"gzip"}',
    adapter: receiving((sink) =>
      Effect.fnUntraced(function* (object, bytes) {
        const content = { contentType: "application/octet-stream" }
        const digest = yield* passingDigest(content, decompressionBudget(0))
        yield* sink.receive(object, bytes, digest)
      }, Effect.scoped)
    )
  },
  {
    fault: "tells the digest of what passed before it was found to be no gzip",
    caughtBy: "content that is declared as gzip and isn't is stored unchanged and has no digest",
    adapter: receiving(
      (sink) => (object, bytes, digest) =>
        sink.receive(
          object,
          bytes,
          digest && { ...digest, taken: Effect.map(digest.taken, (taken) => taken ?? "0".repeat(64)) }
        )
    )
  },
  {
    fault: "forgets the digest of what it promotes",
    caughtBy: "the digest is that of the last PUT or the last promotion",
    adapter: storing((store) => ({
      list: (prefix) =>
        Effect.map(store.list(prefix), (all) =>
          all.map(({ contentHash, ...one }) =>
            contentHash === undefined || one.key.includes("/hosted/") ? one : { ...one, contentHash }
          )
        )
    }))
  }
]

/** State that the module keeps from one store to the next, which is the fault. */
const earlier = new Set<string>()
