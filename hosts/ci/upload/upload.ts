import { withoutUndefined } from "../../../core/model/withoutUndefined.ts"
import type { Input } from "../command/Command.ts"
import type { Context } from "../command/Context.ts"
import { ExitCode } from "../command/ExitCode.ts"
import { unusable } from "../command/Stopped.ts"
import { ciDetailsOf } from "../settings/ciDetails.ts"
import { asking } from "../settings/connect.ts"
import { detectedLines, required, settingsOf, type dryRunOption, type settingOptions } from "../settings/settings.ts"
import type { bundleOptions } from "./bundleOptions.ts"
import { contentsAt } from "./contents.ts"
import { watch } from "./progress.ts"

/** What either command of `upload` is given. */
export type UploadInput = Input<typeof bundleOptions & typeof dryRunOption & typeof settingOptions>

const onePath = (positionals: ReadonlyArray<string>): string => {
  const [path, ...more] = positionals
  if (path === undefined || more.length > 0)
    throw unusable("Name one file or folder: the bundle, or what the bundler left.")
  return path
}

/** With `--dry-run`, prints what was detected and what would be uploaded. */
const dryRun = async (path: string, { values }: UploadInput, context: Context): Promise<ExitCode> => {
  const settings = await settingsOf(values, context)
  for (const line of detectedLines(settings)) context.err(line)
  const { isWithinBudgets } = await contentsAt(path, values, context, settings.url)
  context.err("Nothing was sent.")
  return isWithinBudgets ? ExitCode.done : ExitCode.failOn
}

/** Uploads a build, and prints its URL. */
export const uploadBuild = async (input: UploadInput, context: Context): Promise<ExitCode> => {
  const { positionals, values } = input
  const path = onePath(positionals)
  if (values["dry-run"] === true) return dryRun(path, input, context)
  const settings = required(await settingsOf(values, context), "owner", "repo", "branch", "commit")
  const {
    contents: { platform, ...contents },
    isWithinBudgets
  } = await contentsAt(path, values, context, settings.url)
  if (platform === undefined) throw unusable("--platform must be ios or android: the folder doesn't show it.")
  const { branch, commit: commitSha, owner, repo } = settings
  const { end, onProgress } = watch(context)
  try {
    const { signal } = context
    const identity = { owner, repo, branch, commitSha, platform, ...withoutUndefined({ app: settings.app }) }
    const upload = { ...contents, ...ciDetailsOf(settings), ...identity }
    const build = await asking(settings, ({ builds }) => builds.upload(upload, { onProgress, signal }))
    context.out(values.json === true ? JSON.stringify(build) : build.url)
    return isWithinBudgets ? ExitCode.done : ExitCode.failOn
  } finally {
    end()
  }
}

/** Uploads a preview, and prints its URL. */
export const uploadPreview = async (input: UploadInput, context: Context): Promise<ExitCode> => {
  const { positionals, values } = input
  const path = onePath(positionals)
  if (values["dry-run"] === true) return dryRun(path, input, context)
  const settings = await settingsOf(values, context)
  const {
    contents: { platform, ...contents },
    isWithinBudgets
  } = await contentsAt(path, values, context, settings.url)
  const { branch, commit, owner, pr, repo } = settings
  const { end, onProgress } = watch(context)
  try {
    const { signal } = context
    const upload = {
      ...contents,
      ...ciDetailsOf(settings),
      ...withoutUndefined({ app: settings.app }),
      ...(platform === undefined ? {} : { platform }),
      // With one of the two alone, nobody would know whose repository is meant.
      ...(owner === undefined || repo === undefined ? {} : { owner, repo }),
      ...(branch === undefined ? {} : { branch }),
      ...(commit === undefined ? {} : { commitSha: commit }),
      ...(pr === undefined ? {} : { pr })
    }
    const preview = await asking(settings, ({ previews }) => previews.upload(upload, { onProgress, signal }))
    context.out(values.json === true ? JSON.stringify(preview) : preview.url)
    return isWithinBudgets ? ExitCode.done : ExitCode.failOn
  } finally {
    end()
  }
}
