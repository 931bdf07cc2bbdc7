/** Small disks, which a user may mount in a namespace of its own where the system allows it. */
import { spawnSync } from "node:child_process"

/** Runs a command as one that may mount, where nobody else sees it. */
export const namespace = ["unshare", "--map-root-user", "--mount"] as const

const [unshare, ...options] = namespace

/** Whether this user may mount a disk. */
export const mayMount = spawnSync(unshare, [...options, "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0

const script = 'mount -t tmpfs -o size="$0" none "$1" && head -c 1M /dev/zero > "$1/ballast" && shift && exec "$@"'

/**
 * Prefix of a command that runs with a disk of the given MiB mounted on a folder. The file `ballast` uses one MiB. Deleting it,
 * at the path `seenBy` the process, frees space.
 */
export const onSmallDisk = (mebibytes: number, folder: string): ReadonlyArray<string> => [
  ...namespace,
  "sh",
  "-c",
  script,
  `${mebibytes}m`,
  folder
]

/** A path as a process sees it that has disks of its own. */
export const seenBy = (pid: number | undefined, path: string): string => `/proc/${pid}/root${path}`
