import { Effect } from "effect"

/**
 * Loads a module that imports packages which only some projects install: the optional peers of this package. The error for
 * an absent one names the command that installs them. `packages` are their names with versions.
 */
export const loadOptional = <A>(packages: ReadonlyArray<string>, load: () => Promise<A>): Effect.Effect<A> =>
  Effect.promise(() =>
    load().catch((cause: unknown) => {
      const isAbsent = packages.some((one) => String(cause).includes(one.slice(0, one.lastIndexOf("@"))))
      if (!isAbsent) throw cause
      throw new Error(`This needs a package that is not installed; this installs it: npm i ${packages.join(" ")}`, {
        cause
      })
    })
  )
