import { StyleSheet, Text, View } from "react-native"
import { useTheme } from "../parts/theme.js"

/** The title of a screen, with a line above it. */
export const Heading = ({ over, title }) => {
  const theme = useTheme()
  return (
    <View style={styles.heading}>
      <Text style={[styles.over, { color: theme.accent }]}>{over}</Text>
      <Text accessibilityRole="header" aria-level={1} style={[styles.title, { color: theme.ink }]}>
        {title}
      </Text>
    </View>
  )
}

const styles = StyleSheet.create({
  heading: { paddingTop: 20, paddingBottom: 4, gap: 2 },
  over: { fontSize: 13, fontWeight: "700", letterSpacing: 0.3 },
  title: { fontSize: 32, fontWeight: "800", letterSpacing: -0.6 }
})
