package ib.core.verbs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * May block: forbidden in an atomic section, which every {@link Callback} is unless its poll
 * context allows sleeping (S1, S26, S29). The verifier reads it from the class file.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.CONSTRUCTOR})
public @interface MaySleep {}
