/**
 * Bundles the `slipway` command: what `hosts/cli/main` imports, libraries included, becomes a few files, and a command loads
 * those that it needs. This starts in a fraction of the time that a thousand modules take.
 */
import { build, type Plugin } from "esbuild"
import { rmSync } from "node:fs"
import { dirname, join } from "node:path"
import { suiteModule } from "./conformancePackage.ts"
import { filesModule } from "./programs.ts"

const root = join(import.meta.dirname, "..")

/** Replaces the text of modules, which are named by the ends of their paths. */
const replace = (modules: Readonly<Record<string, string>>): Plugin => ({
  name: "replace",
  setup: ({ onEnd, onLoad, onResolve }) => {
    const unused = new Set(Object.keys(modules))
    const named = new RegExp(`(?:${[...unused].map((end) => RegExp.escape(end)).join("|")})\\.[jt]s$`)
    // Some exist only here.
    onResolve({ filter: /^\.\// }, ({ path, resolveDir }) => {
      const file = join(resolveDir, path)
      return named.test(file) ? { path: file } : undefined
    })
    onLoad({ filter: named }, ({ path }) => {
      const found = Object.entries(modules).find(([end]) => path.replace(/\.[jt]s$/, "").endsWith(end))
      if (found === undefined) return undefined
      unused.delete(found[0])
      return { contents: found[1], loader: "js", resolveDir: dirname(path) }
    })
    // A module that was moved would be bundled as it is, and would look for the sources.
    onEnd(() => ({ errors: Array.from(unused, (end) => ({ text: `No module ${end} was replaced: was it moved?` })) }))
  }
})

/** A longer text is a module of its own. */
const maxInline = 2 ** 16

/**
 * The modules that export the bundled scripts and stylesheets of the viewer's pages, by the paths of their files without the ending: the
 * package needs no bundler. Large texts are loaded when they are needed first.
 */
export const madeBundles = async (
  importOf = (name: string): string => `import("./${name}.js")`
): Promise<Readonly<Record<string, string>>> => {
  const { bundles } = await import("../hosts/viewer/ui/bundles.ts")
  const { examples, fonts, scripts, styles } = await bundles()
  const modules: Record<string, string> = {}
  const loading = async (name: string, load: () => Promise<string>): Promise<string> => {
    const text = await load()
    if (text.length <= maxInline) return `async () => ${JSON.stringify(text)}`
    modules[`/hosts/viewer/ui/bundles.${name}`] = `export default ${JSON.stringify(text)}\n`
    return `async () => (await ${importOf(`bundles.${name}`)}).default`
  }
  const entries = new Array<string>()
  for (const [name, { digest, text }] of Object.entries(scripts)) {
    entries.push(`${name}: { digest: "${digest}", text: ${await loading(name, text)} }`)
  }
  const fontEntries = new Array<string>()
  for (const [name, load] of Object.entries(fonts)) fontEntries.push(`${name}: ${await loading(name, load)}`)
  modules["/hosts/viewer/ui/bundles"] = `const made = {
    scripts: { ${entries.join(", ")} },
    fonts: { ${fontEntries.join(", ")} },
    styles: ${JSON.stringify(styles)},
    examples: ${JSON.stringify(examples)}
  }\nexport const bundles = () => Promise.resolve(made)\n`
  return modules
}

/** Imports a text of the pages from where the build puts it for the library, so that the package has each text once. */
const fromLibrary = (name: string): string =>
  `import(new URL("dist/hosts/viewer/ui/${name}.js", import.meta.resolve("slipway/package.json")))`

/**
 * Writes the program into the folder `to`, as `main.js` and the parts that it loads; `main` is the module that it
 * starts with. `suite` is the version and digest of the conformance suite: a bundle can't compute the digest, which
 * covers the suite's files. With `isPackaged`, it loads the texts of the pages from the package that it is in. Answers
 * the modules that the program and the pages were made of.
 */
export const bundleCommand = async (options: {
  readonly main: string
  readonly to: string
  readonly suite: { readonly version: string; readonly digest: string }
  readonly isPackaged?: true
}): Promise<ReadonlyArray<string>> => {
  const { "/hosts/viewer/ui/bundles": pages = "", ...texts } = await madeBundles(
    options.isPackaged === undefined ? undefined : fromLibrary
  )
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
    external: ["redis"],
    // Some libraries are CommonJS and `require` the modules of Node.
    banner: {
      js: 'import { createRequire as nodeRequire } from "node:module"\nconst require = nodeRequire(import.meta.url)'
    },
    plugins: [
      replace({
        "/hosts/viewer/ui/bundles": pages,
        ...(options.isPackaged === undefined ? texts : {}),
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
  return [...Object.keys(metafile.inputs), ...(await bundledFrom())]
}
