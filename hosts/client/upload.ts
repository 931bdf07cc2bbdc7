import type { Content, FileContent, PreviewUpload, RecordingContent, UploadOptions } from "./Client.ts"
import type { Platform } from "./Platform.ts"
import { SlipwayError } from "./SlipwayError.ts"
import type { BuildSlots, PreviewSlots, Slot } from "./responses.ts"
import { mapConcurrent } from "./mapConcurrent.ts"
import { type Source, unfit } from "./bodies.ts"
import type { Connection } from "./connection.ts"
import type { DeclaredBundle, DeclaredFile, Recording } from "./requests.ts"

/** The fields of the bodies in a reservation; each list exists when the upload has it. */
interface Declared extends DeclaredBundle {
  readonly files?: ReadonlyArray<DeclaredFile>
  readonly recordings?: ReadonlyArray<Recording>
}

/** What a reservation answers, of a build or of a preview. */
interface Reserved {
  readonly token: string
  readonly slots: BuildSlots & Partial<PreviewSlots>
}

/** The two steps that differ between builds and previews. */
interface Steps<Ready> {
  readonly reserve: (declared: Declared, signal: AbortSignal) => Promise<Reserved>
  readonly finalize: (token: string, signal: AbortSignal) => Promise<Ready>
}

/** How often slots are reserved, and how often a reservation is finalized, before an upload fails. */
const attempts = 2

/** The keys of the objects that a finalize missed; `undefined` of any other failure. */
const missedKeys = (error: unknown): ReadonlySet<string> | undefined =>
  error instanceof SlipwayError && error.problem?.code === "upload_incomplete"
    ? new Set(error.problem.objects.map(({ objectKey }) => objectKey))
    : undefined

/** Whether a reservation is over: by the service's answer, or because its store forbids a PUT. */
const isOver = (error: unknown): boolean =>
  error instanceof SlipwayError && (error.code === "reservation_expired" || error.status === 403)

/** A body and where it goes. */
interface Placed {
  readonly place: number
  readonly name: string
  readonly source: Prepared<Content>["source"]
  readonly slot: Slot
}

/**
 * Reserves, PUTs every body to its slot, unless the account has its bytes already, and finalizes.
 *
 * Where the reservation ended meanwhile, it reserves again and sends all of it again. Where a finalize misses objects, it
 * sends those again. Either is done once, and only where the bodies can be read again.
 */
export const upload = async <Ready>(
  { bundle, files, recordings }: Pick<PreviewUpload, "bundle" | "files" | "recordings">,
  { finalize, reserve }: Steps<Ready>,
  { concurrency = 8, onProgress, signal: given }: UploadOptions,
  platform: Platform,
  { put }: Connection
): Promise<Ready> => {
  if (!(concurrency >= 1)) throw new RangeError("concurrency must be 1 or more")
  const failed = new AbortController()
  const signal = given === undefined ? failed.signal : AbortSignal.any([given, failed.signal])
  signal.throwIfAborted()

  const prepareAll = <A extends Content>(list: string, contents: ReadonlyArray<A> = []) =>
    mapConcurrent(contents, concurrency, signal, (content, signal, index) =>
      prepare(platform, `${list}.${index}`, content, { isRequired: false, signal })
    )
  const theBundle = await prepare(platform, "bundle", bundle, { isRequired: true, signal })
  const theFiles = await prepareAll<FileContent>("files", files)
  const theRecordings = await prepareAll<RecordingContent>("recordings", recordings)
  const { contentHash = "", contentType: bundleContentType, sizeBytes: bundleSizeBytes } = theBundle.declared
  const declared: Declared = {
    contentHash,
    bundleSizeBytes,
    bundleContentType,
    ...(files === undefined ? {} : { files: theFiles.map(({ declared }) => declared) }),
    ...(recordings === undefined ? {} : { recordings: theRecordings.map(({ declared }) => declared) })
  }

  const all: ReadonlyArray<Prepared<Content>> = [theBundle, ...theFiles, ...theRecordings]
  const isRepeatable = all.every(({ source }) => source.isRepeatable)
  const totalBytes = all.reduce((sum, { declared }) => sum + declared.sizeBytes, 0)
  const sent = all.map(() => 0)
  /** Whose body was read, at least in part. */
  const begun = new Set<number>()
  const done = new Set<number>()
  const report = () => {
    try {
      const sentBytes = sent.reduce((sum, bytes) => sum + bytes, 0)
      onProgress?.({ sentBytes, totalBytes, sentObjects: done.size, totalObjects: all.length })
    } catch (error) {
      failed.abort(error)
    }
  }

  const placedIn = ({ slots }: Reserved): ReadonlyArray<Placed> => {
    const found = [
      slots.bundle,
      ...theFiles.map(({ declared }) => slots.files.find(({ path }) => path === declared.path)),
      ...theRecordings.map((_, index) => slots.recordings?.[index])
    ]
    return all.map(({ name, source }, place) => {
      const slot = found[place]
      if (slot !== undefined) return { place, name, source, slot }
      throw new SlipwayError("reserve", { code: "answer_unreadable", detail: `It has no slot for ${name}.` })
    })
  }

  const putAll = async (placed: ReadonlyArray<Placed>): Promise<void> => {
    for (const { place } of placed) {
      sent[place] = 0
      done.delete(place)
      begun.add(place)
    }
    report()
    await mapConcurrent(placed, concurrency, signal, async ({ name, place, slot, source }, signal) => {
      const onBytes = (bytes: number) => {
        sent[place] = bytes
        report()
      }
      await put({ name, slot, source, onBytes, signal })
      done.add(place)
      report()
    })
  }

  const finish = async (token: string, placed: ReadonlyArray<Placed>): Promise<Ready> => {
    for (let made = 1; ; made += 1) {
      try {
        return await finalize(token, signal)
      } catch (error) {
        const missed = missedKeys(error)
        const again = placed.filter(({ slot }) => missed?.has(slot.objectKey))
        const canBeRead = again.every(({ place, source }) => source.isRepeatable || !begun.has(place))
        if (missed === undefined || made === attempts || !canBeRead) throw error
        await putAll(again)
      }
    }
  }

  for (let made = 1; ; made += 1) {
    const reserved = await reserve(declared, signal)
    try {
      const placed = placedIn(reserved)
      for (const { place, slot } of placed) {
        if (slot.uploaded !== true) continue
        sent[place] = slot.sizeBytes
        done.add(place)
      }
      await putAll(placed.filter(({ slot }) => slot.uploaded !== true))
      return await finish(reserved.token, placed)
    } catch (error) {
      if (!isOver(error) || made === attempts || !isRepeatable) throw error
    }
  }
}

/** A body to send, with its fields of the reservation. Errors call it `name`. */
interface Prepared<A extends Content> {
  readonly name: string
  readonly source: Source
  readonly declared: Omit<A, "body"> & { readonly sizeBytes: number; readonly contentHash?: string }
}

/** The service, too, uses this to find bodies whose digest is that of the uncompressed bytes. */
const gzip = /^application\/(?:x-)?gzip\b/i

/**
 * Opens a body, and reads it if its size or digest is unknown and it can be read again. `isRequired`: the digest is
 * required.
 */
const prepare = async <A extends Content>(
  { measure, open }: Platform,
  name: string,
  content: A,
  { isRequired, signal }: { readonly isRequired: boolean; readonly signal: AbortSignal }
): Promise<Prepared<A>> => {
  const { body, ...declared } = content
  try {
    const source = await open(body, signal)
    if (content.sizeBytes !== undefined && source.sizeBytes !== undefined && content.sizeBytes !== source.sizeBytes) {
      throw unfit(name, `It has ${source.sizeBytes} bytes, and ${content.sizeBytes} were declared.`)
    }
    const isKnown = (content.sizeBytes ?? source.sizeBytes) !== undefined && content.contentHash !== undefined
    const measured =
      isKnown || !source.isRepeatable
        ? {}
        : await measure(source, { isGzip: gzip.test(content.contentType), isRequired, signal })
    const sizeBytes = content.sizeBytes ?? source.sizeBytes ?? measured.sizeBytes
    if (sizeBytes === undefined) throw unfit(name, "sizeBytes is required for a stream.")
    const contentHash = content.contentHash ?? measured.contentHash
    if (contentHash === undefined && isRequired) {
      throw unfit(name, "contentHash is required: it can't be computed for a stream, or on a page without HTTPS.")
    }
    return { name, source, declared: { ...declared, sizeBytes, ...(contentHash === undefined ? {} : { contentHash }) } }
  } catch (error) {
    signal.throwIfAborted()
    if (error instanceof SlipwayError) throw error
    throw unfit(name, error instanceof Error ? error.message : String(error), error)
  }
}
