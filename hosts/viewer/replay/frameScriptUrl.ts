/** The scripts of the viewer that run in the frame of an app, where it needs them. */
export type FrameScript = "phone" | "memoryDatabase" | "sqlite" | "lottie" | "recordedAnswers" | "flows" | "inspector"

/** The URL of one of them relative to the app's document: outside of the uploaded files, so that none can replace it. */
export const frameScriptUrl = (name: FrameScript): string => `./?${name}`
