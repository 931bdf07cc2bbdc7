import { readdirSync } from "node:fs"
import { join } from "node:path"

/**
 * The imports that are refused between folders, and where such code belongs instead. The linter enforces it:
 * `oxlint.config.ts`.
 */
export interface Arrow {
  /** The files that it restricts. */
  readonly from: ReadonlyArray<string>
  /** What they may not import, as patterns of the specifier. */
  readonly forbidden: ReadonlyArray<string>
  /** The reason, and where the code belongs. */
  readonly message: string
}

const core = ["model", "rules", "ports", "service", "api"] as const
const inCore = (...folders: ReadonlyArray<(typeof core)[number]>) =>
  folders.map((folder) => `**/core/${folder}/**/*.ts`)

const platforms = ["@effect/platform-node", "@effect/sql-pg", "@aws-sdk", "effect/sql"]

/** The folders directly in a folder of the repository, so that a new one is restricted from the start. */
const foldersIn = (...path: ReadonlyArray<string>): ReadonlyArray<string> =>
  readdirSync(join(import.meta.dirname, "..", ...path), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)

/** Patterns for everything in `hosts/` but the folders named. */
const hostsExcept = (...allowed: ReadonlyArray<string>) =>
  foldersIn("hosts").flatMap((name) => (allowed.includes(name) ? [] : [`**/${name}/**`]))

const viewerParts = ["replay", "trace", "content", "session", "ui", "access"]
const rooms = foldersIn("hosts", "viewer").filter((name) => ![...viewerParts, "testing", "screenshots"].includes(name))
const inViewer = (folders: ReadonlyArray<string>) => folders.map((folder) => `**/hosts/viewer/${folder}/**/*.ts`)
const viewer = ["**/hosts/viewer/*.ts", ...inViewer([...rooms, ...viewerParts])]

const packs = readdirSync(join(import.meta.dirname, "..", "hosts", "phone", "packs")).filter((name) =>
  /^(?!registry\.ts$)\w+\.ts$/.test(name)
)

const phone = {
  forbidden: [
    "effect",
    "effect/**",
    "@effect/**",
    "**/core/**",
    // What the text of a bundle says of its React Native: it imports nothing.
    "!**/core/rules/bundleFormat.ts",
    "**/adapters/**",
    "**/conformance/**",
    ...hostsExcept("phone")
  ],
  message:
    "The phone runs a bundle on any page and knows nothing of Slipway: what a page of ours adds belongs in hosts/viewer/replay."
}

export const arrows: ReadonlyArray<Arrow> = [
  {
    from: ["**/core/*.ts", ...inCore(...core)],
    forbidden: ["node:*", ...platforms.flatMap((name) => [`${name}*`, `${name}/**`])],
    message:
      "The core does no I/O and knows no platform: say what you need as a port in core/ports, and do it in an adapter."
  },
  {
    from: ["**/core/*.ts", ...inCore(...core)],
    forbidden: ["**/adapters/**", "**/hosts/**", "**/conformance/**"],
    message: "The core knows nothing of what runs it: code that needs both belongs in adapters/ or hosts/."
  },
  {
    from: inCore("model", "ports"),
    forbidden: ["**/rules/**"],
    message: "A model or a port decides nothing: this code belongs in core/rules or core/service."
  },
  {
    from: inCore("model", "rules"),
    forbidden: ["**/ports/**"],
    message: "A rule never sees a port: load in core/service and pass what was loaded."
  },
  {
    from: inCore("model", "rules", "ports"),
    forbidden: ["**/service/**"],
    message: "Only core/api and core/service may use a service: what combines rules and ports belongs in core/service."
  },
  {
    from: inCore("model", "rules", "ports", "service"),
    forbidden: ["**/api/**"],
    message: "How the service speaks belongs above what it does: this code belongs in core/api."
  },
  {
    from: ["**/adapters/**/*.ts"],
    forbidden: ["**/hosts/**"],
    message: "An adapter knows nothing of hosts: what serves or configures belongs in hosts/."
  },
  {
    from: ["**/adapters/**/*.ts", "**/hosts/http/**/*.ts", ...viewer, "**/hosts/node/**/*.ts"],
    forbidden: ["**/conformance/**"],
    message: "The conformance suite is a black box: only hosts/cli, which runs it, imports it."
  },
  {
    from: ["**/hosts/http/**/*.ts", ...viewer, "**/hosts/cli/**/*.ts"],
    forbidden: ["**/adapters/**"],
    message: "Only hosts/node chooses engines: take a port from core/ports instead."
  },
  {
    from: ["**/hosts/client/*.ts"],
    forbidden: ["effect", "effect/**", "@effect/**", "**/core/**", "**/adapters/**", "./effect/**"],
    message:
      "The client needs nothing but its platform, and nothing of Effect: what does belongs in hosts/client/effect. Its types are held to the server's in hosts/client/testing/sameTypes.ts."
  },
  {
    from: ["**/hosts/http/**/*.ts"],
    forbidden: hostsExcept("http"),
    message:
      "hosts/http is mounted by the others, not the other way round: this belongs in hosts/node, hosts/viewer or hosts/cli."
  },
  {
    from: viewer,
    forbidden: hostsExcept("viewer", "http", "phone", "client", "ci"),
    message: "The viewer is mounted by hosts/node, not the other way round."
  },
  ...rooms.map((room) => ({
    from: inViewer([room]),
    forbidden: rooms.filter((other) => other !== room).flatMap((other) => [`../${other}/**`, `../../${other}/**`]),
    message:
      "Two rooms of the viewer never import each other: what both show belongs in a folder below them, such as content/."
  })),
  ...viewerParts.map((part, level) => ({
    from: inViewer([part]),
    forbidden: [...rooms, ...viewerParts.slice(0, level)].flatMap((above) => [`../${above}/**`, `../../${above}/**`]),
    message: "In the viewer imports lead down: rooms, replay, trace, content, session, ui, access."
  })),
  { from: ["**/hosts/phone/**/*.ts", ...packs.map((pack) => `**/hosts/phone/packs/${pack}`)], ...phone },
  ...packs.map((pack) => ({
    from: [`**/hosts/phone/packs/${pack}`],
    // Those of Expo and Skia are in several files.
    forbidden: packs
      .filter((other) => other !== pack && !(/^(?:expo|skia)/.test(pack) && pack.slice(0, 4) === other.slice(0, 4)))
      .map((other) => `./${other}`),
    message: "A pack never imports another: what both need belongs in views/, modules/ or runtime/ of hosts/phone."
  })),
  {
    from: ["**/hosts/node/**/*.ts"],
    forbidden: hostsExcept("node", "http", "viewer", "client"),
    message: "hosts/node is run by the command line, not the other way round."
  },
  {
    from: ["**/hosts/ci/**/*.ts"],
    forbidden: [
      "effect",
      "effect/**",
      "@effect/**",
      ...["model", "ports", "service", "api"].map((folder) => `**/core/${folder}/**`),
      // They import nothing of ours.
      "!**/core/model/withoutUndefined.ts",
      "!**/core/model/plainText.ts",
      "**/adapters/**",
      "**/conformance/**",
      ...hostsExcept("ci", "client"),
      // How a run's steps and logs are read, without a page.
      "!**/viewer/trace/steps.ts",
      "!**/viewer/trace/lines.ts"
    ],
    message:
      "hosts/ci is a small program that starts fast, and talks to a host by hosts/client: a rule that both need belongs in core/rules, without Effect."
  },
  {
    from: ["**/conformance/**/*.ts"],
    forbidden: ["**/core/**", "**/adapters/**", "**/hosts/**"],
    message: "The conformance suite is a black box over HTTP: say what it needs in conformance/ itself."
  }
]

const restricted = (held: ReadonlyArray<Arrow>) =>
  ["error", { patterns: held.map(({ forbidden, message }) => ({ group: [...forbidden], message })) }] as const

/**
 * The arrows as overrides of the linter. Only the last override that matches a file counts, so each pattern of files gets one
 * override with all of its restrictions.
 */
export const overrides = (held: ReadonlyArray<Arrow> = arrows) =>
  [...new Set(held.flatMap(({ from }) => from))].map((files) => ({
    files: [files],
    rules: { "no-restricted-imports": restricted(held.filter(({ from }) => from.includes(files))) }
  }))
