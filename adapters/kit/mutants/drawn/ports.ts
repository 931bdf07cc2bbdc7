/** Hosts whose ports are wrapped, and the cases of the suite on them. */
import { Effect, Layer, Predicate, type Context } from "effect"
import { mapPorts, type MetadataPorts } from "../../../../core/ports/registry.ts"
import { layerMetadata } from "../../../memory/index.ts"
import { casesOf } from "../../metadata.ts"
import { casesIn, type Run, type Tester } from "../../parts/suite.ts"

/** A method of a port. A member that is an effect is one without arguments. */
export type Method = (...given: ReadonlyArray<unknown>) => Effect.Effect<unknown, unknown, unknown>

/** A store in memory, and the ids of its accounts in the order of their inserts. */
interface Store {
  readonly ports: Context.Context<MetadataPorts>
  readonly accounts: Array<string>
}

/** Called for each method of each host of each store. The method is named `KeyStore.list`. */
type Wrap = (own: Method, name: string, accounts: ReadonlyArray<string>) => Method

const wrapped = ({ accounts, ports }: Store, wrap: Wrap): Store["ports"] =>
  mapPorts(ports, (port, portName) =>
    Object.fromEntries(
      Object.entries(port).map(([name, member]: [string, unknown]) => {
        const own: Method = (...given) => {
          const [record] = given
          const isAccount = portName === "AccountStore" && name === "insert" && Predicate.hasProperty(record, "id")
          if (isAccount && typeof record.id === "string") accounts.push(record.id)
          const made: unknown = typeof member === "function" ? Reflect.apply(member, port, given) : member
          return Effect.isEffect(made) ? made : Effect.die(`${portName}.${name} is no effect`)
        }
        const method = wrap(own, `${portName}.${name}`, accounts)
        return [name, typeof member === "function" ? method : method()]
      })
    )
  )

/** A part of the suite: the cases of a port. */
export type Section = keyof typeof casesOf

/** The cases of a section, each on two hosts of a new store in memory. */
export const casesOn = (section: Section, wrap: Wrap): ReadonlyArray<Effect.Effect<unknown, unknown>> => {
  const cases: Array<Effect.Effect<unknown, unknown>> = []
  let store: Store | undefined
  const host = Effect.suspend(() =>
    store === undefined ? Effect.die("No case is running.") : Effect.succeed(wrapped(store, wrap))
  )
  const tester: Tester = {
    testIf: (condition) => (_, run) => condition && cases.push(Effect.suspend(run)),
    testEach: (values) => (_, run) => values.forEach((value) => cases.push(Effect.suspend(() => run(value)))),
    section: (_, declare) => declare()
  }
  const alone = (run: Run<MetadataPorts>) =>
    Layer.build(Layer.fresh(layerMetadata)).pipe(
      Effect.tap((ports) => Effect.sync(() => (store = { ports, accounts: [] }))),
      Effect.andThen(host),
      Effect.flatMap((ports) => Effect.provide(run, ports)),
      Effect.scoped
    )
  casesOf[section](casesIn(tester, alone, host))
  return cases
}
