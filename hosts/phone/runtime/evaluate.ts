import { browserNames, givenNames, type AppGlobal } from "./appGlobal.ts"

/**
 * A bundle as a function of the objects in which its names are looked up. What a phone's engine lacks is looked up in
 * `browser`, where it is `undefined`; what the bundle declares or puts into its global object is found in `app`.
 */
const wrapped = (bundle: string, url: string): string =>
  `(function(browser,app,given){with(browser){with(app){(function(${givenNames.join()}){${bundle}
}).apply(app,given)}}})
//# sourceURL=${url}`

/** Runs a bundle with this as its global object. What it throws is thrown. */
export const evaluate = (bundle: string, url: string, app: AppGlobal): void => {
  // Within `with`, only what is evaluated apart from this module may be sloppy, as bundles are.
  // oxlint-disable-next-line no-eval -- it is what this frame is there for
  const run: unknown = (0, eval)(wrapped(bundle, url))
  if (typeof run !== "function") return
  run(
    browserNames(),
    app,
    givenNames.map((name) => Reflect.get(window, name))
  )
}
