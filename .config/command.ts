/**
 * Bundles the `slipway` command: what `hosts/cli/main` imports, libraries included, becomes a few files, and a command loads
 * those that it needs. This starts in a fraction of the time that a thousand modules take.
 */
import { build, type Plugin } from "esbuild"
import { rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { suiteModule } from "./conformancePackage.ts"
import { filesModule } from "./programs.ts"

const root = join(import.meta.dirname, "..")

/** Replaces the text of modules, which are named by the ends of their paths. */
const replace = (modules: Readonly<Record<string, string>>): Plugin => ({
  name: "replace",
  setup: ({ onEnd, onLoad }) => {
    const unused = new Set(Object.keys(modules))
    onLoad({ filter: new RegExp(`(?:${[...unused].join("|")})\\.[jt]s$`) }, ({ path }) => {
      const found = Object.entries(modules).find(([end]) => path.replace(/\.[jt]s$/, "").endsWith(end))
      if (found === undefined) return undefined
      unused.delete(found[0])
      return { contents: found[1], loader: "js", resolveDir: dirname(path) }
    })
    // A module that was moved would be bundled as it is, and would look for the sources.
    onEnd(() => ({ errors: Array.from(unused, (end) => ({ text: `No module ${end} was replaced: was it moved?` })) }))
  }
})

/** A module that exports the bundled scripts and stylesheets of the viewer's pages: the package needs no bundler. */
export const madeBundles = async (): Promise<string> => {
  const { bundles } = await import("../hosts/viewer/ui/bundles.ts")
  return `const made = ${JSON.stringify(await bundles())}\nexport const bundles = () => Promise.resolve(made)\n`
}

/** A module that exports the fonts for apps in replays: the package has them once, beside the program. */
const madeFonts = async (): Promise<string> => {
  const { fonts } = await import("../hosts/viewer/ui/fonts.ts")
  return `const made = ${JSON.stringify(await fonts())}\nexport const fonts = () => Promise.resolve(made)\n`
}

/**
 * Writes the program into the folder `to`, as `main.js` and the parts that it loads; `main` is the module that it
 * starts with. `suite` is the version and digest of the conformance suite: a bundle can't compute the digest, which
 * covers the suite's files. Answers the modules that the program and the pages were made of.
 */
export const bundleCommand = async (options: {
  readonly main: string
  readonly to: string
  readonly suite: { readonly version: string; readonly digest: string }
}): Promise<ReadonlyArray<string>> => {
  const { metafile } = await build({
    entryPoints: [{ in: options.main, out: "main" }],
    outdir: options.to,
    chunkNames: "parts/[name]-[hash]",
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    format: "esm",
    platform: "node",
    target: "node24",
    // Names stay, so that a stack trace has the functions' names.
    minifyWhitespace: true,
    minifySyntax: true,
    legalComments: "linked",
    metafile: true,
    logLevel: "warning",
    // Redis is a peer of a library, and of no use to us.
    external: ["redis", "../fonts.js"],
    // Some libraries are CommonJS and `require` the modules of Node.
    banner: {
      js: 'import { createRequire as nodeRequire } from "node:module"\nconst require = nodeRequire(import.meta.url)'
    },
    plugins: [
      replace({
        "/hosts/viewer/ui/bundles": await madeBundles(),
        // It is loaded on demand, so its part is in the folder of parts.
        "/hosts/viewer/ui/fonts": 'export { fonts } from "../fonts.js"',
        "/hosts/node/programFiles": filesModule,
        "/conformance/run/suite": suiteModule(options.suite)
      })
    ]
  })
  // Deletes the parts that only unused code imports.
  const outputs = new Map(Object.entries(metafile.outputs))
  const used = new Set<string>()
  const use = (path: string): void => {
    if (used.has(path)) return
    used.add(path)
    for (const imported of outputs.get(path)?.imports ?? []) if (imported.external !== true) use(imported.path)
  }
  for (const [path, { entryPoint }] of outputs) if (entryPoint?.endsWith(options.main) === true) use(path)
  for (const path of outputs.keys()) {
    if (path.endsWith(".js") && !used.has(path)) {
      for (const end of ["", ".LEGAL.txt"]) rmSync(join(root, path) + end, { force: true })
    }
  }
  const { bundledFrom } = await import("../hosts/viewer/ui/bundles.ts")
  const { fontFiles } = await import("../hosts/viewer/ui/fonts.ts")
  writeFileSync(join(options.to, "fonts.js"), await madeFonts())
  const ofFonts = Object.values(fontFiles).map((file) => `node_modules/${file}`)
  return [...Object.keys(metafile.inputs), ...(await bundledFrom()), ...ofFonts]
}
