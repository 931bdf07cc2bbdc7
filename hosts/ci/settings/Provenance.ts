/** The subject of a CI run, as far as it is known. */
export interface Provenance {
  readonly owner?: string | undefined
  readonly repo?: string | undefined
  readonly branch?: string | undefined
  /** The head commit, 40 hexadecimal digits; never the merge commit that a CI makes of a pull request. */
  readonly commit?: string | undefined
  /** The number of the pull request. */
  readonly pr?: number | undefined
  /** The branch that the pull request is to be merged into. */
  readonly base?: string | undefined
  /** The message of the commit, and the name of its author. */
  readonly commitMessage?: string | undefined
  readonly author?: string | undefined
  /** What the CI calls the job. */
  readonly job?: string | undefined
  /** Which app of the repository it is, as the user names it; no CI and no file tells. */
  readonly app?: string | undefined
  /** Which run of which CI, and which attempt at it: `github:1234567/2`. All jobs of one attempt have the same. */
  readonly source?: string | undefined
  /** Whether the pull request comes from elsewhere, so that the CI gives it no secrets. */
  readonly isFork?: boolean | undefined
}
