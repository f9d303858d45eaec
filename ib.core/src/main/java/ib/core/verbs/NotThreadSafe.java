package ib.core.verbs;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Not for concurrent use on the same object: the exception to the rule that a consumer need not
 * serialize its calls (S16). The verifier reads it from the class file and reports two threads
 * inside.
 */
@Documented
@Retention(RetentionPolicy.CLASS)
@Target({ElementType.METHOD, ElementType.TYPE, ElementType.CONSTRUCTOR})
public @interface NotThreadSafe {}
