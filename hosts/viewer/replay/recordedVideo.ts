/** The video of a recorded run beside the app. It shows what the run showed after each step, once the app has done that step too. */
export const makeRecordedVideo = (section: HTMLElement) => {
  const video = section.querySelector<HTMLVideoElement>(".recorded-run video")
  const moments = (video?.dataset["moments"] ?? "").split(" ").map(Number)
  return {
    /** Seeks to the end of a step, by the number of its command. The last moment stays where there is none. */
    show: (command: number): void => {
      const moment = moments[command]
      if (video === null || moment === undefined) return
      video.pause()
      video.currentTime = moment / 1000
    }
  }
}
