/** Reads the fields of a run from the variables of a CI, with the variable that each comes from. */
import type { Provenance } from "./Provenance.ts"
import { repositoryOf } from "./remote.ts"

/** The variables of a process. */
export type Variables = Readonly<Record<string, string | undefined>>

/** What a variable says. */
export interface SourcedValue<A> {
  readonly value: A
  /** The variables that say it. */
  readonly from: string
}

type ProvenanceFields = Omit<Provenance, "source" | "isFork">

/** What the variables of a CI say of a run. */
export type SourcedProvenance = {
  readonly [Field in keyof ProvenanceFields]: SourcedValue<NonNullable<ProvenanceFields[Field]>> | undefined
} & Pick<Provenance, "isFork">

const sha = /^[0-9a-f]{40}$/i

/** A commit, if the text is one: Buildkite has `HEAD` for a build that was started manually. */
export const commitIn = (text: string | undefined): string | undefined =>
  text !== undefined && sha.test(text) ? text : undefined

/** The number of a pull request, in itself or at the end of its URL. `false` and the like are none. */
export const prIn = (text: string | undefined): number | undefined => {
  const [digits] = /\d+$/.exec(text ?? "") ?? []
  return digits === undefined || Number(digits) === 0 ? undefined : Number(digits)
}

/** A branch without what says that it is one. A tag is none, nor is the reference of a pull request. */
export const branchIn = (ref: string | undefined): string | undefined => {
  const name = ref?.replace(/^refs\/heads\//, "")
  return name === undefined || name === "" || /^refs\/|^pull\/\d+(?:\/|$)/.test(name) ? undefined : name
}

/** `owner/name`; the owner may be a group of groups. */
export const slug = (text: string | undefined) => {
  const [, owner, repo] = /^(.+)\/([^/]+)$/.exec(text ?? "") ?? []
  return owner === undefined ? {} : { owner, repo }
}

/** The name in `Name <address>`. */
export const authorIn = (text: string): string | undefined => text.replace(/\s*<[^>]*>\s*$/, "") || undefined

export const sameRepository = (a: string | undefined, b: string | undefined): boolean =>
  JSON.stringify(repositoryOf(a)) === JSON.stringify(repositoryOf(b))

/** What the first of these variables says that says anything. */
export const sourced = <A>(
  env: Variables,
  read: (text: string) => A | undefined,
  ...names: ReadonlyArray<string>
): SourcedValue<A> | undefined => {
  for (const name of names) {
    const text = env[name]
    const value = text === undefined ? undefined : read(text)
    if (value !== undefined) return { value, from: name }
  }
  return undefined
}

export const asIs = (text: string): string => text

/** The repository that a variable names. */
export const repositoryIn = (
  env: Variables,
  read: (text: string) => Pick<ProvenanceFields, "owner" | "repo">,
  ...names: ReadonlyArray<string>
) => ({
  owner: sourced(env, (text) => read(text).owner, ...names),
  repo: sourced(env, (text) => read(text).repo, ...names)
})

/** How often a job was tried again, as the number of the attempt. */
export const attemptAfter = (retries: string): string | undefined =>
  /^\d{1,6}$/.test(retries) ? String(Number(retries) + 1) : undefined
