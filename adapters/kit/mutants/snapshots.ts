import { Cause, Context, Effect, Layer, Stream } from "effect"
import type { MetadataRecord } from "../../../core/model/MetadataRecord.ts"
import { AccountStore } from "../../../core/ports/AccountStore.ts"
import { MetadataSource, MetadataTarget } from "../../../core/ports/MetadataSnapshot.ts"
import { layerBoth } from "../../sqlite/testing/newFile.ts"
import type { SnapshotPorts } from "../metadataSnapshot.ts"
import type { Mutant } from "./Mutant.ts"

/** The ports on SQLite, as memory has none of these two, with one of them altered. */
const altered = <I extends MetadataSource | MetadataTarget, S>(
  port: Context.Key<I, S>,
  alter: (service: S, ports: Context.Context<SnapshotPorts>) => S
): Layer.Layer<SnapshotPorts, unknown> =>
  Layer.flatMap(Layer.fresh(layerBoth), (ports) =>
    Layer.succeedContext(Context.add(ports, port, alter(Context.get(ports, port), ports)))
  )

type Records = Stream.Stream<MetadataRecord, never>

/** A source that gives other records than are stored. */
const giving = (change: (records: Records) => Records) =>
  altered(MetadataSource, (source) => ({
    ...source,
    snapshot: (use) =>
      source.snapshot((records) =>
        Effect.flatMap(Effect.orDie(Stream.runCollect(records)), (all) => use(change(Stream.fromIterable(all))))
      )
  }))

/** A source that gives other records of one account, made of all records and of those that are its own. */
const givingOwn = (
  change: (all: ReadonlyArray<MetadataRecord>, given: ReadonlyArray<MetadataRecord>) => ReadonlyArray<MetadataRecord>
) =>
  altered(MetadataSource, (source) => ({
    ...source,
    snapshotOf: (account, use) =>
      Effect.flatMap(
        Effect.orDie(Effect.all([source.snapshot(Stream.runCollect), source.snapshotOf(account, Stream.runCollect)])),
        ([all, given]) => use(Stream.fromIterable(change(all, given)))
      )
  }))

/** A target that stores other records than it is given. */
const storing = (change: (record: MetadataRecord) => ReadonlyArray<MetadataRecord>) =>
  altered(MetadataTarget, (target) => ({
    ...target,
    fill: (records) => target.fill(Stream.flatMap(records, (record) => Stream.fromIterable(change(record))))
  }))

/** A target that stores what it has got when `fill` ends as `early` says. */
const keepingThePart = (early: (cause: Cause.Cause<unknown>) => boolean) =>
  altered(MetadataTarget, (target) => ({
    ...target,
    fill: (records) => {
      const got: Array<MetadataRecord> = []
      const store = Effect.suspend(() => target.fill(Stream.fromIterable(got)))
      return Stream.runForEach(records, (record) => Effect.sync(() => void got.push(record))).pipe(
        Effect.onError((cause) => (early(cause) ? Effect.orDie(store) : Effect.void)),
        Effect.andThen(store)
      )
    }
  }))

const order =
  "MetadataTarget > records of every kind are stored field by field, and are given in the order of `recordModels`"
const own =
  "MetadataSource of one account > the records of one account are read alone, each once, and nothing of another"
const moment = "MetadataSource > a stream gives the same each time it is run, while others write"
const answers = "MetadataTarget > every port answers from what was stored"
const full = "MetadataTarget > a store that holds one record imports nothing, and keeps it"

export const snapshotMutants: ReadonlyArray<Mutant<SnapshotPorts>> = [
  {
    fault: "gives the first record of a thousand twice",
    caughtBy: "MetadataSource > thousands of records are given, each once",
    adapter: giving((records) => Stream.concat(Stream.take(records, 1), records))
  },
  {
    fault: "exports the keys of an account",
    caughtBy: own,
    adapter: givingOwn((all) => all)
  },
  {
    fault: "gives accounts last",
    caughtBy: order,
    adapter: giving((records) =>
      Stream.concat(
        Stream.filter(records, ({ kind }) => kind !== "account"),
        Stream.filter(records, ({ kind }) => kind === "account")
      )
    )
  },
  {
    fault: "gives what is stored when the stream is run",
    caughtBy: moment,
    adapter: altered(MetadataSource, (source) => ({
      ...source,
      snapshot: (use) => use(Stream.unwrap(Effect.map(source.snapshot(Stream.runCollect), Stream.fromIterable)))
    }))
  },
  {
    fault: "forgets sessions",
    caughtBy: order,
    adapter: storing((record) => (record.kind === "session" ? [] : [record]))
  },
  {
    fault: "links every repository again",
    caughtBy: answers,
    adapter: storing((record) =>
      record.kind === "repository" ? [{ kind: "repository", value: { ...record.value, linked: true } }] : [record]
    )
  },
  {
    fault: "is always empty",
    caughtBy: full,
    adapter: altered(MetadataTarget, (target) => ({ ...target, assertEmpty: Effect.void }))
  },
  {
    fault: "adds to what is stored",
    caughtBy: full,
    adapter: altered(MetadataTarget, (target, ports) => ({
      ...target,
      fill: (records) =>
        Effect.catchTag(target.fill(records), "NotEmpty", () =>
          Stream.runForEach(records, ({ kind, value }) =>
            kind === "account" ? Effect.orDie(Context.get(ports, AccountStore).insert(value)) : Effect.void
          )
        )
    }))
  },
  {
    fault: "stores what came before the stream failed",
    caughtBy: "MetadataTarget > nothing is stored when the stream fails, and it can be filled afterwards",
    adapter: keepingThePart(Cause.hasFails)
  },
  {
    fault: "leaves out a record that can't be stored",
    caughtBy: "MetadataTarget > nothing is stored when a record of any kind occurs twice",
    adapter: altered(MetadataTarget, (target) => ({
      ...target,
      fill: (records) => {
        const seen = new Set<string>()
        const isNew = ({ value }: MetadataRecord) => !("id" in value) || (!seen.has(value.id) && !!seen.add(value.id))
        return target.fill(Stream.filter(records, isNew))
      }
    }))
  }
]
