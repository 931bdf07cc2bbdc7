import { Context, DateTime, Effect, Fiber, Layer, Stream } from "effect"
import { withChunks } from "../../../core/ports/HostServices.ts"
import { ObjectStore } from "../../../core/ports/ObjectStore.ts"
import { layerObjects } from "../../memory/index.ts"
import { ObjectSink, SignedUrls } from "../../signed-urls/SignedUrls.ts"
import { OpenObjects } from "../parts/suite.ts"
import { loopback } from "../parts/objectStoreHarness.ts"
import { type FaultsByCase, type Mutant, toMutants } from "./metadata.ts"

export type Store = ObjectStore["Service"]
type Sink = ObjectSink["Service"]

/** The objects in memory, with the store or the sink behind its URLs altered. */
const altered = (alter: (store: Store, sink: Sink) => { readonly store?: Store; readonly sink?: Sink }) =>
  loopback(
    Layer.flatMap(layerObjects, (memory) => {
      const [store, sink] = [Context.get(memory, ObjectStore), Context.get(memory, ObjectSink)]
      const now = alter(store, sink)
      return Layer.succeedContext(
        Context.make(ObjectStore, now.store ?? store).pipe(Context.add(ObjectSink, now.sink ?? sink))
      )
    })
  )

export const storing = (alter: (store: Store, sink: Sink) => Partial<Store>) =>
  altered((store, sink) => ({ store: { ...store, ...alter(store, sink) } }))

export const receiving = (receive: (sink: Sink, store: Store) => Sink["receive"]) =>
  altered((store, sink) => ({ sink: { receive: receive(sink, store) } }))

/** Every byte of an object, and what is known of it. */
export const whole = (store: Store, key: string) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { stream, ...facts } = yield* Effect.catchTag(store.read(key), "RangeNotSatisfiable", Effect.die)
      return { ...facts, bytes: yield* Stream.mkUint8Array(stream) }
    })
  )

export const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const keepingMutants: FaultsByCase<ObjectStore> = {
  "a later PUT to the source's URL doesn't change the copy, nor does removing the source": {
    "promotes a link to the source instead of a copy": storing((store) => {
      const links = new Map<string, string>()
      return {
        promote: (from, to) => Effect.tap(store.promote(from, to), () => Effect.sync(() => links.set(to, from))),
        read: (key, range) => store.read(links.get(key) ?? key, range)
      }
    })
  },
  "a promotion copies the source as it is at that moment": {
    "copies the version that it copied first": storing((store, sink) => {
      const first = new Map<string, Effect.Success<ReturnType<typeof whole>>>()
      return {
        promote: Effect.fnUntraced(function* (from, to) {
          const version = first.get(from) ?? (yield* whole(store, from))
          first.set(from, version)
          yield* store.promote(from, to)
          yield* Effect.orDie(sink.receive({ ...version, key: to }, Stream.make(version.bytes)))
        })
      }
    })
  },
  "a promotion isn't interrupted: when it has ended, no copy is still being made": {
    "copies in the background, and ends when it is interrupted": storing((store) => ({
      promote: (from, to, contentType) =>
        Effect.flatMap(
          Effect.forkDetach(Effect.andThen(Effect.repeat(turn, { times: 10 }), store.promote(from, to, contentType))),
          Fiber.join
        )
    }))
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
          stream: withChunks(object.stream, (take) =>
            Stream.runForEach(object.stream, (piece) => {
              const memory = Uint8Array.from(piece)
              return Effect.andThen(Effect.forkChild(take(memory)), Effect.as(Effect.yieldNow, void memory.fill(0)))
            }).pipe(Effect.andThen(Effect.sleep("20 millis")))
          )
        }))
    }))
  }
}

const receivingMutants: FaultsByCase<ObjectStore> = {
  "a connection that breaks before the announced end is refused and stores nothing": {
    "stores the bytes that came before a connection broke": receiving((sink) => (object, bytes) => {
      const come: Array<Uint8Array> = []
      const seen = Stream.tap(bytes, (chunk) => Effect.sync(() => void come.push(chunk)))
      const stored = Effect.suspend(() => {
        const sizeBytes = come.reduce((sum, { byteLength }) => sum + byteLength, 0)
        return Effect.orDie(sink.receive({ ...object, sizeBytes }, Stream.fromIterable(come)))
      })
      return Effect.onError(sink.receive(object, seen), () => stored)
    })
  },
  "3 PUTs of 9 MiB to one key at once leave one of the bodies, whole, and its digest": {
    "stages concurrent PUTs above 4 MiB in one file for each key": receiving((sink) => {
      const files = new Map<string, Uint8Array>()
      return (object, bytes, digest) => {
        if (object.sizeBytes <= 4 * 1024 ** 2) return sink.receive(object, bytes, digest)
        const file = files.get(object.key) ?? new Uint8Array(object.sizeBytes)
        files.set(object.key, file)
        let at = 0
        const staged = Stream.runForEach(bytes, (chunk) =>
          Effect.sync(() => {
            file.set(chunk, at)
            at += chunk.byteLength
          })
        )
        const published = Effect.suspend(() => sink.receive(object, Stream.make(file.slice()), digest))
        return Effect.andThen(staged, published)
      }
    })
  },
  "32 PUTs to one key at once leave one of the bodies, whole, and its digest": {
    "mixes the bodies of concurrent PUTs": receiving((sink) => {
      const coming = new Map<string, Uint8Array>()
      return (object, bytes) =>
        Effect.gen(function* () {
          const other = coming.get(object.key)
          const own = new Uint8Array(object.sizeBytes)
          coming.set(object.key, own)
          let at = 0
          const seen = Stream.tap(bytes, (chunk) =>
            Effect.sync(() => {
              if (at + chunk.byteLength <= own.byteLength) own.set(chunk, at)
              at += chunk.byteLength
            })
          )
          yield* sink
            .receive(object, seen)
            .pipe(Effect.ensuring(Effect.sync(() => coming.get(object.key) === own && coming.delete(object.key))))
          if (other?.byteLength !== own.byteLength) return
          const half = own.byteLength >> 1
          yield* sink.receive(object, Stream.make(other.subarray(0, half), own.subarray(half)))
        })
    })
  }
}

const leakingMutants: ReadonlyArray<Mutant<ObjectStore>> = [
  {
    fault: "leaves an object open when its reader stops early",
    caughtBy: "an object can still be read after a reader stopped early",
    saying: "taken of the store and not given back",
    adapter: Layer.unwrap(
      Effect.sync(() => {
        let open = 0
        const counted = storing((store) => ({
          read: (key, range) =>
            Effect.map(store.read(key, range), (object) => ({
              ...object,
              stream: Stream.suspend(() => {
                open += 1
                return Stream.concat(object.stream, Stream.fromEffectDrain(Effect.sync(() => (open -= 1))))
              })
            }))
        }))
        return Layer.merge(
          counted,
          Layer.succeed(
            OpenObjects,
            Effect.sync(() => open)
          )
        )
      })
    )
  }
]

type Urls = SignedUrls["Service"]

/** The objects in memory, behind URLs that are signed or verified wrongly. */
const signing = (alter: (urls: Urls) => Partial<Urls>) =>
  loopback(
    layerObjects.pipe(
      Layer.provideMerge(
        Layer.effect(
          SignedUrls,
          Effect.map(SignedUrls, (urls) => ({ ...urls, ...alter(urls) }))
        )
      )
    )
  )

const urlMutants: FaultsByCase<ObjectStore> = {
  "a URL past its time is refused and stores nothing": {
    "accepts URLs that have expired": signing((urls) => ({
      verify: (method, target) => urls.verify(method, target, DateTime.makeUnsafe(0))
    }))
  },
  "URLs signed by a host whose clock is behind don't live longer": {
    "ends a URL by the clock of the host that signs it": storing((store) => ({
      presignPuts: Effect.fnUntraced(function* (requests) {
        const behind = DateTime.nowUnsafe().epochMilliseconds - (yield* DateTime.now).epochMilliseconds
        return yield* store.presignPuts(
          requests.map((request) => ({ ...request, expiresAt: DateTime.addDuration(request.expiresAt, behind) }))
        )
      })
    }))
  }
}

/** Adapters of the object store with one fault each. */
export const objectMutants = [
  ...[keepingMutants, receivingMutants, urlMutants].flatMap((table) => toMutants("", table)),
  ...leakingMutants
]
