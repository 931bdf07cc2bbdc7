import { type Pack, resolving } from "../modules/Host.ts"
import { fieldsIn, numberIn, textIn } from "../runtime/decode.ts"
import { type Component, element } from "../views/Component.ts"
import { labelled } from "../views/view.ts"

const fits: Readonly<Record<string, string>> = { contain: "contain", cover: "cover", stretch: "fill" }

const players = new Map<number, HTMLVideoElement>()

/** A video of the app's own files; the sandbox refuses others. */
const player: Component = (own) => {
  const video = document.createElement("video")
  const message = labelled("Video (a replay has only the app’s own files)")
  const drawn = element("view", video)
  message.style.inset = "0"
  video.style.cssText = "position:absolute;inset:0;width:100%;height:100%;background:#000"
  video.playsInline = true
  players.set(own.tag, video)
  let places: ReadonlyArray<string> = []
  let uri: string | undefined

  const next = (): void => {
    const [place, ...rest] = places
    places = rest
    if (place !== undefined) {
      video.src = place
      return
    }
    own.emit("topVideoError", { error: { code: -1, localizedDescription: "The video can’t be loaded." } })
    drawn.append(message)
  }
  const times = () => ({
    currentTime: video.currentTime,
    playableDuration: video.duration,
    seekableDuration: video.duration
  })
  const on = (event: string, run: () => void): void => video.addEventListener(event, run)
  on("error", next)
  on("loadedmetadata", () => {
    const { duration, videoHeight: height, videoWidth: width } = video
    const orientation = width >= height ? "landscape" : "portrait"
    own.emit("topVideoLoad", { ...times(), duration, naturalSize: { width, height, orientation } })
    own.emit("topReadyForDisplay", {})
  })
  on("timeupdate", () => own.emit("topVideoProgress", times()))
  on("ended", () => own.emit("topVideoEnd", {}))

  return {
    element: drawn,
    update: (props) => {
      const wanted = textIn(fieldsIn(props["src"])["uri"])
      video.loop = props["repeat"] === true
      // A browser plays sound only after a click.
      video.muted = props["muted"] === true || !navigator.userActivation.hasBeenActive
      video.volume = Math.min(1, Math.max(0, numberIn(props["volume"]) ?? 1))
      video.playbackRate = numberIn(props["rate"]) || 1
      video.controls = props["controls"] === true
      video.style.objectFit = fits[textIn(props["resizeMode"]) ?? ""] ?? "contain"
      video.autoplay = props["paused"] !== true
      if (wanted !== uri) {
        uri = wanted
        places = wanted === undefined ? [] : own.assetUrls(wanted)
        message.remove()
        own.emit("topVideoLoadStart", { src: { uri: wanted } })
        if (wanted !== undefined) next()
      } else if (props["paused"] === true) video.pause()
      else video.play().catch(() => {})
    },
    unmounted: () => {
      players.delete(own.tag)
      video.removeAttribute("src")
    }
  }
}

/** react-native-video */
export const video: Pack = {
  components: { Video: player },
  legacy: {
    RCTVideo: {
      props: "src repeat muted volume rate controls resizeMode paused",
      events:
        "VideoLoad VideoLoadStart VideoError VideoProgress VideoSeek VideoEnd VideoBuffer ReadyForDisplay " +
        "VideoPlaybackStateChanged"
    }
  },
  partial: () => {
    const seek = (tag: number, time: number): void => {
      const found = players.get(tag)
      if (found !== undefined) found.currentTime = time
    }
    return {
      VideoManager: resolving({
        seekCmd: seek,
        setPlayerPauseStateCmd: (tag: number, isPaused: boolean) =>
          isPaused ? players.get(tag)?.pause() : players.get(tag)?.play(),
        setVolumeCmd: (tag: number, volume: number) => {
          const found = players.get(tag)
          if (found !== undefined) found.volume = volume
        },
        getCurrentPosition: (tag: number) => players.get(tag)?.currentTime ?? 0
      }),
      VideoDecoderInfoModule: resolving({
        getWidevineLevel: 0,
        isCodecSupported: "unsupported",
        isHEVCSupported: "unsupported"
      })
    }
  }
}
