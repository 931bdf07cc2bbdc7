/**
 * Makes the `slipway` command one program: what `hosts/cli/main` imports, libraries too, in a few files, of which a command
 * loads those that it needs. So it starts in a fraction of the time that a thousand modules take.
 */
import { build } from "esbuild"
import type { Plugin } from "esbuild"
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"

const root = join(import.meta.dirname, "..")

/** Puts other text in the place of modules, which are named by what their paths end with. */
const replace = (modules: Readonly<Record<string, string>>): Plugin => ({
  name: "replace",
  setup: ({ onLoad }) =>
    onLoad({ filter: /\/(?:bundles|suite)\.[jt]s$/ }, ({ path }) => {
      const found = Object.entries(modules).find(([end]) => path.replace(/\.[jt]s$/, "").endsWith(end))
      return found === undefined ? undefined : { contents: found[1], loader: "js", resolveDir: dirname(path) }
    })
})

/** A module that exports the scripts and stylesheets of the viewer's pages, made: what is published needs no bundler. */
export const madeBundles = async (): Promise<string> => {
  const { bundles } = await import("../hosts/viewer/ui/bundles.ts")
  return `const made = ${JSON.stringify(await bundles())}\nexport const bundles = () => Promise.resolve(made)\n`
}

/**
 * Writes the program into the folder `to`, as `main.js` and the parts that it loads; `main` is the module that it is made
 * of. The digest of the conformance suite is taken over files, which a program has not: it is told, as `suiteDigest`.
 */
export const bundleCommand = async (options: {
  readonly main: string
  readonly to: string
  readonly suite: { readonly version: string; readonly digest: string }
}): Promise<void> => {
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
    // A stack trace can name the lines of the source, which the package does not hold.
    sourcemap: true,
    sourcesContent: false,
    legalComments: "linked",
    metafile: true,
    logLevel: "warning",
    // Redis is a peer of a library, and of no use to us.
    external: ["redis"],
    // Some libraries are CommonJS, and ask for the modules of Node by `require`.
    banner: {
      js: 'import { createRequire as nodeRequire } from "node:module"\nconst require = nodeRequire(import.meta.url)'
    },
    plugins: [
      replace({
        "/hosts/viewer/ui/bundles": await madeBundles(),
        "/conformance/run/suite": `import { Effect } from "effect"\nexport const suite = Effect.succeed(${JSON.stringify(options.suite)})\n`
      })
    ]
  })
  // A part may be left that only code imports which was left out.
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
      for (const end of ["", ".map", ".LEGAL.txt"]) rmSync(join(root, path) + end, { force: true })
    }
  }
}
