/** Concurrent look-ups that share a statement. */
import { Effect, Exit, Option, Request, RequestResolver } from "effect"
import type { Unavailable } from "../../core/model/Problem.ts"
import type { Engine } from "../sql/Engine.ts"

/** So many look-ups share a statement at most. */
const most = 100

interface LookUp<A> extends Request.Request<Option.Option<A>, Unavailable> {
  readonly id: string
  readonly account: string
}

/** Finds what is looked up in one turn of the event loop by one statement, since each statement needs a write and its answer a read. */
export const lookUp: Engine["lookUp"] = <A>(
  find: (ids: ReadonlyArray<string>, account: string) => Effect.Effect<ReadonlyMap<string, A>, Unavailable>
) => {
  const request = Request.of<LookUp<A>>()
  const resolver = RequestResolver.makeWith<LookUp<A>>({
    batchKey: (entry) => entry.request.account,
    delay: Effect.yieldNow,
    collectWhile: ({ size }) => size < most,
    runAll: (entries) =>
      Effect.map(find([...new Set(entries.map((entry) => entry.request.id))], entries[0].request.account), (found) => {
        for (const entry of entries) {
          entry.completeUnsafe(Exit.succeed(Option.fromUndefinedOr(found.get(entry.request.id))))
        }
      })
  })
  return (id, account = "") => Effect.request(request({ id, account }), resolver)
}
