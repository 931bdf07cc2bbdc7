import { isDeepStrictEqual } from "node:util"

/** A name under which two sides hold something else. A side that is missing has nothing there. */
export interface Change<A> {
  readonly name: string
  readonly before?: A
  readonly after?: A
}

/** Every name that either side has and whose values differ, in the order in which they are met. */
export const changes = <A>(before: ReadonlyMap<string, A>, after: ReadonlyMap<string, A>): ReadonlyArray<Change<A>> =>
  [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [was, is] = [before.get(name), after.get(name)]
    const sides = { ...(was === undefined ? {} : { before: was }), ...(is === undefined ? {} : { after: is }) }
    return isDeepStrictEqual(was, is) ? [] : [{ name, ...sides }]
  })
